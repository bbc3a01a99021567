import type { ClientBase } from 'pg';
import { DatabaseError, schemaNewer } from '../database-error.ts';
import type { Migration } from '../migrations.ts';

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
function toPostgres(sql: string): string {
  return sql
    .replaceAll(/\b(?:TEXT|INTEGER|REAL|BLOB)\b/g, (type) => TYPES[type] ?? type)
    .replaceAll(/\b[a-z]+(?:[A-Z][a-z]*)+\b/g, (name) => `"${name}"`)
    .replaceAll(') STRICT;', ');');
}

/** The advisory lock that every program takes to change the schema. */
const LOCK = '7091313311870547827';
const OLDEST_VERSION = 150_000;

/**
 * Migrates the schema to its newest step, all or nothing. If programs start together, the second waits and finds the work done. A database
 * that is one step newer is used as it is, because steps only add; this allows rolling updates.
 *
 * @returns the names of the steps that ran
 * @throws DatabaseError SCHEMA_NEWER, FILE_FOREIGN, SERVER_TOO_OLD
 */
export async function migrate(client: ClientBase, steps: readonly Migration[]): Promise<readonly string[]> {
  const version = await readValue<string>(client, "SELECT current_setting('server_version_num') AS value");
  if (Number(version) < OLDEST_VERSION) throw new DatabaseError('SERVER_TOO_OLD', 'PostgreSQL 15 or later is needed. Update it.');
  await client.query('BEGIN');
  try {
    await client.query(`SELECT pg_advisory_xact_lock(${LOCK})`);
    const missing = steps.slice(await stepOf(client, steps.length));
    for (const step of missing) {
      if (!step.onlySqlite) await client.query(toPostgres(step.sql));
      await client.query('INSERT INTO "schemaSteps" (step, name) VALUES ($1, $2)', [steps.indexOf(step) + 1, step.name]);
    }
    await client.query('COMMIT');
    return missing.map(({ name }) => name);
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {});
    throw error;
  }
}

/** The step of the database; 0 for an empty one, in which it creates the table of steps. */
async function stepOf(client: ClientBase, known: number): Promise<number> {
  const hasSteps = await readValue<boolean>(client, `SELECT to_regclass('"schemaSteps"') IS NOT NULL AS value`);
  if (hasSteps) {
    const found = await readValue<number>(client, 'SELECT max(step) AS value FROM "schemaSteps"');
    if (found > known + 1) throw schemaNewer(found, known);
    return found;
  }
  const tables = await readValue<number>(client, 'SELECT count(*) AS value FROM pg_tables WHERE schemaname = current_schema()');
  if (tables > 0) {
    throw new DatabaseError('FILE_FOREIGN', 'The database in DATABASE_URL contains tables of another program. Use an empty one.');
  }
  await client.query('CREATE TABLE "schemaSteps" (step bigint PRIMARY KEY, name text NOT NULL)');
  return 0;
}

async function readValue<T>(client: ClientBase, sql: string): Promise<T> {
  const { rows } = await client.query<{ value: T }>(sql);
  const [row] = rows;
  if (row === undefined) throw new Error(`No row: ${sql}`);
  return row.value;
}
