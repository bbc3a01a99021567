import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { onTestFinished } from 'vitest';
import type { Database } from '../database/database.ts';
import type { Migration } from '../database/migrations.ts';
import { openPostgres } from '../database/postgres/open-postgres.ts';
import { openSqlite } from '../database/sqlite/open-sqlite.ts';
import { isPostgresInstalled, startPostgres } from './start-postgres.ts';
import { createTestDatabase } from './test-database.ts';

/** The kinds of database that can be made here. */
export const databaseKinds = (['sqlite', 'postgres'] as const).filter((kind) => kind === 'sqlite' || isPostgresInstalled());

/**
 * Makes an empty database for the rest of the test.
 *
 * @returns opens it with the given steps of the schema; without any, with all of them
 */
export async function createDatabaseOfSteps(
  kind: Database['kind'],
): Promise<(steps?: readonly Migration[]) => Promise<Database>> {
  if (kind === 'sqlite') {
    const folder = await mkdtemp(join(tmpdir(), 'chiffchaff-steps-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    return async (steps) => openSqlite(folder, steps);
  }
  const server = await startPostgres();
  onTestFinished(() => server.stop());
  const { url } = await createTestDatabase(server.url);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
  await client.end();
  return (steps) => openPostgres(url, { log: { warn() {} }, ...(steps && { steps }) });
}
