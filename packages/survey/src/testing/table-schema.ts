import { parse } from 'csv-parse/browser/esm/sync';

/** The parts of a Table Schema that tests use: https://specs.frictionlessdata.io/table-schema/. */
export interface TableSchema {
  readonly fields: readonly {
    readonly name: string;
    readonly type: string;
    readonly format?: string;
    readonly constraints?: {
      readonly required?: boolean;
      readonly unique?: boolean;
      readonly minimum?: number;
      readonly maximum?: number;
      readonly pattern?: string;
      readonly enum?: readonly string[];
    };
  }[];
  readonly missingValues?: readonly string[];
  readonly primaryKey?: string;
  readonly foreignKeys?: readonly {
    readonly fields: string;
    readonly reference: { readonly resource: string; readonly fields: string };
  }[];
}
type Field = TableSchema['fields'][number];

const isOfType: Readonly<Record<string, RegExp>> = {
  string: /^/,
  any: /^/,
  boolean: /^(true|false)$/,
  integer: /^[-+]?\d+$/,
  number: /^[-+]?\d+(\.\d+)?$/,
  datetime: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(Z|[-+]\d\d:?\d\d)$/,
};

/** For tests: where a CSV table violates its schema, one line each. */
export function findTableProblems(text: string, schema: TableSchema, tables: ReadonlyMap<string, string> = new Map()): string[] {
  const rows = rowsOf(text);
  const names = schema.fields.map(({ name }) => name);
  const [header = []] = parse(text, { to: 1 }) as string[][];
  if (header.join() !== names.join()) return [`the columns are ${header.join()}`];
  const missing = schema.missingValues ?? [''];
  const problems = schema.fields.flatMap((field) => [
    ...rows.flatMap((row, line) =>
      fieldProblems(row[field.name] ?? '', field, missing).map((problem) => `line ${line + 2}, ${field.name}: ${problem}`),
    ),
    ...((field.constraints?.unique || schema.primaryKey === field.name) &&
    new Set(rows.map((row) => row[field.name])).size < rows.length
      ? [`${field.name} is not unique`]
      : []),
  ]);
  const dangling = (schema.foreignKeys ?? []).flatMap(({ fields, reference }) => {
    const there = new Set(rowsOf(tables.get(reference.resource) ?? '').map((row) => row[reference.fields]));
    return rows
      .filter((row) => !there.has(row[fields] ?? ''))
      .map((row) => `${fields} ${row[fields]} is not in ${reference.resource}`);
  });
  return [...problems, ...dangling];
}

const rowsOf = (text: string): Record<string, string>[] => parse(text, { columns: true, skip_empty_lines: true });

function fieldProblems(value: string, { type, constraints = {} }: Field, missing: readonly string[]): string[] {
  const { required, minimum = -Infinity, maximum = Infinity, pattern, enum: choices } = constraints;
  if (missing.includes(value)) return required ? ['is missing'] : [];
  const problems: string[] = [];
  if (!isOfType[type]?.test(value)) problems.push(`"${value}" is no ${type}`);
  if (['integer', 'number'].includes(type) && (Number(value) < minimum || Number(value) > maximum))
    problems.push(`${value} is out of range`);
  if (pattern !== undefined && !new RegExp(pattern).test(value)) problems.push(`"${value}" does not fit ${pattern}`);
  if (choices && !choices.includes(value)) problems.push(`"${value}" is none of ${choices.join()}`);
  return problems;
}
