/** Types of columns. Text is compared byte by byte, as SQLite does. */
const TYPES: Readonly<Record<string, string>> = {
  TEXT: 'text COLLATE "C"',
  INTEGER: 'bigint',
  REAL: 'double precision',
  BLOB: 'bytea',
};

/**
 * A step of the schema as PostgreSQL reads it. SQLite's words are those of every database but for the types of columns, `STRICT`, and
 * names in mixed case, which PostgreSQL would otherwise write in lower case.
 */
export function toPostgres(sql: string): string {
  return sql
    .replaceAll(/\b(?:TEXT|INTEGER|REAL|BLOB)\b/g, (type) => TYPES[type] ?? type)
    .replaceAll(/\b[a-z]+(?:[A-Z][a-z]*)+\b/g, (name) => `"${name}"`)
    .replaceAll(') STRICT;', ');');
}
