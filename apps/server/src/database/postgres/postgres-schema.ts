/** Column types. Text is compared byte by byte, as in SQLite. */
const TYPES: Readonly<Record<string, string>> = {
  TEXT: 'text COLLATE "C"',
  INTEGER: 'bigint',
  REAL: 'double precision',
  BLOB: 'bytea',
};

/**
 * Translates a step of the schema for PostgreSQL. Only the column types, `STRICT` and names in mixed case differ; PostgreSQL would fold
 * these names to lower case.
 */
export function toPostgres(sql: string): string {
  return sql
    .replaceAll(/\b(?:TEXT|INTEGER|REAL|BLOB)\b/g, (type) => TYPES[type] ?? type)
    .replaceAll(/\b[a-z]+(?:[A-Z][a-z]*)+\b/g, (name) => `"${name}"`)
    .replaceAll(') STRICT;', ');');
}
