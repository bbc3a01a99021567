import { setTimeout as sleep } from 'node:timers/promises';
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
 * these names to lower case. A word right after a single quote is a value, not a name.
 */
function toPostgres(sql: string): string {
  return sql
    .replaceAll(/\b(?:TEXT|INTEGER|REAL|BLOB)\b/g, (type) => TYPES[type] ?? type)
    .replaceAll(/(?<!')\b[a-z]+(?:[A-Z][a-z]*)+\b/g, (name) => `"${name}"`)
    .replaceAll(') STRICT;', ');');
}

/** The advisory lock of the session that changes the schema. */
const LOCK = '7091313311870547827';
const LOOK_EVERY_MS = 100;
const OLDEST_VERSION = 150_000;

/**
 * Migrates the schema to its newest step, one step after the other, each completely or not at all. If programs start together, one runs the
 * steps, and those that need them wait. A database that is one step newer is used as it is, because steps only add; this allows rolling
 * updates.
 *
 * An index is built outside a transaction (`CREATE INDEX CONCURRENTLY`), so that running machines can write meanwhile. A build that fails or
 * is interrupted leaves an invalid index, which no query uses but every write maintains. Its step is not recorded, so the next start drops
 * that index and builds it again.
 *
 * @param client must be ended afterwards, which releases the lock and rolls back a step that failed
 * @returns the names of the steps that ran
 * @throws DatabaseError SCHEMA_NEWER, FILE_FOREIGN, SERVER_TOO_OLD
 */
export async function migrate(client: ClientBase, steps: readonly Migration[]): Promise<readonly string[]> {
  const version = await readValue<string>(client, "SELECT current_setting('server_version_num') AS value");
  if (Number(version) < OLDEST_VERSION) throw new DatabaseError('SERVER_TOO_OLD', 'PostgreSQL 15 or later is needed. Update it.');
  // Asks again and again: while a statement waits for the lock, its snapshot would keep the other program's index from being finished.
  const lock = () => readValue<boolean>(client, `SELECT pg_try_advisory_lock(${LOCK}) AS value`);
  while ((await missingOf(client, steps)).length > 0 && !(await lock())) await sleep(LOOK_EVERY_MS);
  const missing = await missingOf(client, steps);
  for (const step of missing) await take(client, step, steps.indexOf(step) + 1);
  return missing.map(({ name }) => name);
}

async function take(client: ClientBase, step: Migration, number: number): Promise<void> {
  await client.query('CREATE TABLE IF NOT EXISTS "schemaSteps" (step bigint PRIMARY KEY, name text NOT NULL)');
  const record = () => client.query('INSERT INTO "schemaSteps" (step, name) VALUES ($1, $2)', [number, step.name]);
  if ('index' in step) {
    await client.query(toPostgres(`DROP INDEX CONCURRENTLY IF EXISTS ${step.index}`));
    await client.query(toPostgres(`CREATE INDEX CONCURRENTLY ${step.index} ON ${step.on}`));
    await record();
  } else {
    await client.query('BEGIN');
    await client.query(toPostgres(`${step.sql}${step.onPostgres ?? ''}`));
    await record();
    await client.query('COMMIT');
  }
}

/** The steps that a database has not taken. */
async function missingOf(client: ClientBase, steps: readonly Migration[]): Promise<readonly Migration[]> {
  // In one statement: between two, another machine may create the schema.
  const ofOthers = `to_regclass('"schemaSteps"') IS NULL AND EXISTS (SELECT FROM pg_tables WHERE schemaname = current_schema())`;
  if (await readValue<boolean>(client, `SELECT ${ofOthers} AS value`))
    throw new DatabaseError('FILE_FOREIGN', 'The database in DATABASE_URL contains tables of another program. Use an empty one.');
  if (!(await readValue<boolean>(client, `SELECT to_regclass('"schemaSteps"') IS NOT NULL AS value`))) return steps;
  const taken = Number(await readValue<string>(client, 'SELECT count(*) AS value FROM "schemaSteps"'));
  if (taken > steps.length + 1) throw schemaNewer(taken, steps.length);
  return steps.slice(taken);
}

async function readValue<T>(client: ClientBase, sql: string): Promise<T> {
  const { rows } = await client.query<{ value: T }>(sql);
  const [row] = rows;
  if (row === undefined) throw new Error(`No row: ${sql}`);
  return row.value;
}
