import { describe, expect, it } from 'vitest';
import { type JsonSchema, outlineSchema, writeOutline } from './schema-outline.ts';

/** The outline as text; each list is in parentheses, its items are separated by semicolons. */
const asText = (schema: JsonSchema): string =>
  writeOutline(outlineSchema(schema))
    .replaceAll(/<\/li><li>/g, '; ')
    .replaceAll(/<(ul|ol)[^>]*>/g, '(')
    .replaceAll(/<\/(ul|ol)>/g, ')')
    .replaceAll(/<[^>]+>/g, '')
    .replaceAll(/\s+(?=[;)]|$)/g, '')
    .replaceAll('&quot;', '"');

describe('The outline of a JSON schema in the page about the API', () => {
  it.each<[string, JsonSchema, string]>([
    ['anything', {}, 'any value'],
    ['several types', { type: ['string', 'null'] }, 'string or null'],
    ['one value', { type: 'string', enum: ['SILENT'] }, 'always "SILENT"'],
    ['a constant', { const: null }, 'always null'],
    ['some values', { enum: ['read', 2] }, 'one of "read", 2'],
    ['a format, without the pattern that it implies', { type: 'string', format: 'date', pattern: '^\\d' }, 'string date'],
    ['a pattern', { type: 'string', pattern: '^[a-z]$' }, 'string matches ^[a-z]$'],
    ['a length', { type: 'string', minLength: 1, maxLength: 20 }, 'string 1 to 20 characters'],
    ['an exact length', { type: 'string', minLength: 1, maxLength: 1 }, 'string exactly 1 character'],
    ['a range', { type: 'number', minimum: 0, exclusiveMaximum: 1 }, 'number at least 0, less than 1'],
    ['a fraction above a limit', { type: 'number', exclusiveMinimum: 0 }, 'number more than 0'],
    ['a positive integer', { type: 'integer', exclusiveMinimum: 0, maximum: Number.MAX_SAFE_INTEGER }, 'integer at least 1'],
    ['a default', { type: 'integer', maximum: 9, default: 5 }, 'integer at most 9, default 5'],
    [
      'an array',
      { type: 'array', maxItems: 3, items: { type: 'string', minLength: 2 } },
      'array of string at most 3 items, each at least 2 characters',
    ],
    ['values by name', { type: 'object', additionalProperties: { type: 'number' } }, 'object, each value number'],
    [
      'what may be null',
      { description: 'Of `a`.', anyOf: [{ type: 'integer', minimum: 1, maximum: 48 }, { type: 'null' }] },
      'integer or null 1 to 48 Of a.',
    ],
    [
      'fields',
      {
        type: 'object',
        properties: { id: { type: 'string', description: 'Ours.' }, at: { type: 'object', properties: { x: {} } } },
        required: ['id'],
      },
      'object (id string Ours.; at optional object (x optional any value))',
    ],
    [
      'fields that may be null',
      { anyOf: [{ type: 'object', properties: { x: {} } }, { type: 'null' }] },
      'object or null (x optional any value)',
    ],
    [
      'alternatives',
      {
        type: 'array',
        items: {
          oneOf: [
            { type: 'object', properties: { a: { const: 1 } }, required: ['a'] },
            { type: 'object', properties: { b: { const: 2 } }, required: ['b'] },
          ],
        },
      },
      'array of one of 2 alternatives (object (a always 1); object (b always 2))',
    ],
  ])('shows a schema of %s in words', (_, schema, text) => {
    expect(asText(schema)).toBe(text);
  });
});
