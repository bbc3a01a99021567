import { createHash, randomUUID } from 'node:crypto';
import pg from 'pg';
import type { Database } from '../database/database.ts';
import { migrations } from '../database/migrations.ts';
import { openDatabase } from '../database/open-database.ts';
import { openPostgres } from '../database/postgres/open-postgres.ts';

/** Whether test servers use PostgreSQL. */
export const isOnPostgres = Boolean(process.env.TEST_DATABASE_URL);

/** Advisory lock, so that one of several processes creates the template. */
const TEMPLATE_LOCK = 20_261_122;

export interface TestDatabase {
  readonly url: string;
  /** Also ends its remaining connections. */
  drop(): Promise<void>;
}

/**
 * Creates a database for a test, with the newest schema and no rows, by copying a template that is created once per server.
 *
 * @param owner identifies the database; an existing one is used again
 */
export async function createTestDatabase(serverUrl: string, owner: string = randomUUID()): Promise<TestDatabase> {
  const template = `chiffchaff_${hash(JSON.stringify(migrations))}`;
  const name = `chiffchaff_test_${hash(owner)}`;
  await ask(serverUrl, async (client) => {
    await client.query('SELECT pg_advisory_lock($1)', [TEMPLATE_LOCK]);
    if (!(await isThere(client, template))) {
      const part = `${template}_part`;
      await client.query(`DROP DATABASE IF EXISTS ${part}`);
      await client.query(`CREATE DATABASE ${part}`);
      await (await openPostgres(databaseUrl(serverUrl, part), { log: { warn() {} } })).close();
      await client.query(`ALTER DATABASE ${part} RENAME TO ${template}`);
    }
    await client.query('SELECT pg_advisory_unlock($1)', [TEMPLATE_LOCK]);
    if (!(await isThere(client, name))) await client.query(`CREATE DATABASE ${name} TEMPLATE ${template}`);
  });
  return {
    url: databaseUrl(serverUrl, name),
    drop: () => ask(serverUrl, (client) => client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)),
  };
}

const hash = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16);

async function isThere(client: pg.Client, name: string): Promise<boolean> {
  const { rowCount } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [name]);
  return rowCount === 1;
}

/**
 * The database of a data folder, the same one each time and in each process, on the PostgreSQL in `TEST_DATABASE_URL`; null for SQLite in
 * the folder itself.
 */
async function databaseOf(dataDir: string): Promise<TestDatabase | null> {
  const { TEST_DATABASE_URL } = process.env;
  return TEST_DATABASE_URL ? createTestDatabase(TEST_DATABASE_URL, dataDir) : null;
}

export const databaseUrlOf = async (dataDir: string): Promise<string | null> => (await databaseOf(dataDir))?.url ?? null;

/** Opens the database of a data folder as a server does. */
export async function openTestDatabase(dataDir: string): Promise<Database> {
  return openDatabase({ databaseUrl: await databaseUrlOf(dataDir), dataDir, reserveBytes: 0, log: { warn() {} } });
}

/** Drops the database of a deleted folder. */
export async function dropTestDatabase(dataDir: string): Promise<void> {
  await (await databaseOf(dataDir))?.drop();
}

function databaseUrl(serverUrl: string, name: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}

async function ask(url: string, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}
