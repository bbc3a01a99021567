import { escapeHtml } from './escape-html.ts';

/** The keywords of JSON Schema that our API uses. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | JsonSchema;
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly format?: string;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
}

/** What a schema allows, as HTML. */
export interface SchemaOutline {
  /** such as *array of string or null* */
  readonly type: string;
  /** such as *1 to 5 items* */
  readonly limits: readonly string[];
  readonly descriptions: readonly string[];
  /** a list of the fields or alternatives; empty if there are none */
  readonly inner: string;
}

/** Levels of fields within fields that are written out; the deepest schema of the API has six. */
const MAX_LEVELS = 8;

/** Finds a schema by its `$ref`. */
export type FindSchema = (reference: string) => JsonSchema | undefined;

/** Finds what `#/…` points to in a document. */
export const findIn =
  (document: unknown): FindSchema =>
  (reference) =>
    reference
      .replace(/^#\/?/, '')
      .split('/')
      .filter((key) => key !== '')
      .map((key) => decodeURIComponent(key).replaceAll('~1', '/').replaceAll('~0', '~'))
      .reduce<unknown>(
        (at, key) => (typeof at === 'object' && at !== null ? (at as Record<string, unknown>)[key] : undefined),
        document,
      ) as JsonSchema | undefined;

/** A schema for people. References are followed, except back to a schema that is being outlined. */
export function outlineSchema(schema: JsonSchema, find: FindSchema): SchemaOutline {
  return outline(schema, { find, within: [], levels: 0 });
}

interface Position {
  readonly find: FindSchema;
  /** references that led here */
  readonly within: readonly string[];
  readonly levels: number;
}

function outline(schema: JsonSchema, at: Position): SchemaOutline {
  const { descriptions, ...rest } = outlineUndescribed(schema, at);
  const { description } = schema;
  return { ...rest, descriptions: description === undefined ? descriptions : [withCode(description), ...descriptions] };
}

const named = (type: string, limits: readonly string[] = []): SchemaOutline => ({ type, limits, descriptions: [], inner: '' });

function outlineUndescribed(schema: JsonSchema, at: Position): SchemaOutline {
  const { $ref, anyOf, oneOf } = schema;
  if ($ref !== undefined) return outlineReference($ref, at);
  if (schema.enum !== undefined || 'const' in schema) return named(valuesOf(schema.enum ?? [schema.const]));
  if (anyOf !== undefined) return outlineAlternatives(anyOf, 'any', at);
  if (oneOf !== undefined) return outlineAlternatives(oneOf, 'one', at);
  const type = typeOf(schema);
  const limits = limitsOf(schema);
  if (schema.items !== undefined) {
    const each = outline(schema.items, at);
    return { ...each, type: `array of ${each.type}`, limits: [...limits, ...each.limits.map((limit) => `each ${limit}`)] };
  }
  if (schema.properties !== undefined) return { ...named(type, limits), inner: outlineFields(schema, at) };
  if (typeof schema.additionalProperties === 'object') {
    const value = outline(schema.additionalProperties, at);
    return { ...value, type: `${type}, each value ${value.type}`, limits: [...limits, ...value.limits] };
  }
  return named(type, limits);
}

function outlineReference(reference: string, at: Position): SchemaOutline {
  const target = at.find(reference);
  const name = `<code>${escapeHtml(reference.split('/').at(-1) ?? reference)}</code>`;
  if (target === undefined) return named(name);
  if (at.within.includes(reference)) return named(`${name} again`);
  return outline(target, { ...at, within: [...at.within, reference] });
}

function outlineAlternatives(schemas: readonly JsonSchema[], which: 'any' | 'one', at: Position): SchemaOutline {
  const outlines = schemas.map((schema) => outline(schema, at));
  const [only, ...others] = outlines.filter(({ inner }) => inner !== '');
  if (others.length > 0) {
    const items = outlines.map((each) => `<li>${writeOutline(each)}</li>`);
    return { ...named(`${which} of ${items.length} alternatives`), inner: `<ol class="alternatives">${items.join('')}</ol>` };
  }
  return {
    type: [...new Set(outlines.map(({ type }) => type))].join(' or '),
    limits: outlines.flatMap(({ limits }) => limits),
    descriptions: outlines.flatMap(({ descriptions }) => descriptions),
    inner: only?.inner ?? '',
  };
}

function outlineFields({ properties = {}, required = [] }: JsonSchema, at: Position): string {
  const names = Object.keys(properties);
  if (names.length === 0) return '';
  if (at.levels === MAX_LEVELS) return '<p>…</p>';
  const inside = { ...at, levels: at.levels + 1 };
  const items = Object.entries(properties).map(([name, schema]) => {
    const optional = required.includes(name) ? '' : ' <span class="optional">optional</span>';
    return `<li><code class="name">${escapeHtml(name)}</code>${optional} ${writeOutline(outline(schema, inside))}</li>`;
  });
  return `<ul class="fields">${items.join('')}</ul>`;
}

/** An outline as one line, and below it what is inside. */
export function writeOutline({ type, limits, descriptions, inner }: SchemaOutline): string {
  const about = limits.length === 0 ? [] : [`<span class="limits">${limits.join(', ')}</span>`];
  return [`<span class="type">${type}</span>`, ...about, ...descriptions, inner].join(' ');
}

/** A description as HTML: what is between backticks is code. */
export const withCode = (text: string): string => escapeHtml(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>');

const inCode = (value: unknown): string => `<code>${escapeHtml(JSON.stringify(value))}</code>`;

const valuesOf = (values: readonly unknown[]): string =>
  values.length === 1 ? `always ${inCode(values[0])}` : `one of ${values.map(inCode).join(', ')}`;

function typeOf({ type }: JsonSchema): string {
  if (type === undefined) return 'any value';
  return escapeHtml(typeof type === 'string' ? type : type.join(' or '));
}

function limitsOf(schema: JsonSchema): string[] {
  const { type, format, pattern, minLength, maxLength, minItems, maxItems } = schema;
  // For integers, zod states that JavaScript can represent them.
  const limit = (value: number | undefined) =>
    value === undefined || Math.abs(value) === Number.MAX_SAFE_INTEGER ? undefined : value;
  const { exclusiveMinimum: above, exclusiveMaximum: below } = schema;
  const firstAbove = type === 'integer' && above !== undefined ? above + 1 : undefined;
  return [
    ...(format === undefined ? [] : [escapeHtml(format)]),
    // A format has a pattern of its own, which says less to people.
    ...(pattern === undefined || format !== undefined ? [] : [`matches <code>${escapeHtml(pattern)}</code>`]),
    ...span(limit(schema.minimum) ?? limit(firstAbove), limit(schema.maximum), ''),
    ...(above === undefined || firstAbove !== undefined ? [] : [`more than ${above}`]),
    ...(below === undefined ? [] : [`less than ${below}`]),
    ...span(minLength, maxLength, ' characters'),
    ...span(minItems, maxItems, ' items'),
    ...('default' in schema ? [`default ${inCode(schema.default)}`] : []),
  ];
}

function span(least: number | undefined, most: number | undefined, unit: string): string[] {
  const unitFor = (count: number) => (count === 1 ? unit.replace(/s$/, '') : unit);
  if (least !== undefined && least === most) return [`exactly ${least}${unitFor(least)}`];
  if (least !== undefined && most !== undefined) return [`${least} to ${most}${unitFor(most)}`];
  if (least !== undefined) return [`at least ${least}${unitFor(least)}`];
  return most === undefined ? [] : [`at most ${most}${unitFor(most)}`];
}
