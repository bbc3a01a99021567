import { escapeHtml } from './escape-html.ts';

/** The keywords of JSON Schema that our API uses. */
export interface JsonSchema {
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

/** A schema for people. */
export function outlineSchema(schema: JsonSchema): SchemaOutline {
  const { descriptions, ...rest } = outlineUndescribed(schema);
  const { description } = schema;
  return { ...rest, descriptions: description === undefined ? descriptions : [withCode(description), ...descriptions] };
}

const named = (type: string, limits: readonly string[] = []): SchemaOutline => ({ type, limits, descriptions: [], inner: '' });

function outlineUndescribed(schema: JsonSchema): SchemaOutline {
  const { anyOf, oneOf } = schema;
  if (schema.enum !== undefined || 'const' in schema) return named(valuesOf(schema.enum ?? [schema.const]));
  if (anyOf !== undefined) return outlineAlternatives(anyOf, 'any');
  if (oneOf !== undefined) return outlineAlternatives(oneOf, 'one');
  const type = typeOf(schema);
  const limits = limitsOf(schema);
  if (schema.items !== undefined) {
    const each = outlineSchema(schema.items);
    return { ...each, type: `array of ${each.type}`, limits: [...limits, ...each.limits.map((limit) => `each ${limit}`)] };
  }
  if (schema.properties !== undefined) return { ...named(type, limits), inner: outlineFields(schema) };
  if (typeof schema.additionalProperties === 'object') {
    const value = outlineSchema(schema.additionalProperties);
    return { ...value, type: `${type}, each value ${value.type}`, limits: [...limits, ...value.limits] };
  }
  return named(type, limits);
}

function outlineAlternatives(schemas: readonly JsonSchema[], which: 'any' | 'one'): SchemaOutline {
  const outlines = schemas.map((schema) => outlineSchema(schema));
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

function outlineFields({ properties = {}, required = [] }: JsonSchema): string {
  const names = Object.keys(properties);
  if (names.length === 0) return '';
  const items = Object.entries(properties).map(([name, schema]) => {
    const optional = required.includes(name) ? '' : ' <span class="optional">optional</span>';
    return `<li><code class="name">${escapeHtml(name)}</code>${optional} ${writeOutline(outlineSchema(schema))}</li>`;
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
