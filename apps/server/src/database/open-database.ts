import type { FastifyBaseLogger } from 'fastify';
import type { Database } from './database.ts';
import type { PostgresDatabase } from './postgres/open-postgres.ts';
import { openSqlite } from './sqlite/open-sqlite.ts';

/** Whether it is PostgreSQL, which several machines may share. */
export const isPostgres = (database: Database): database is PostgresDatabase => database.kind === 'postgres';

export interface OpenDatabaseOptions {
  /** null for SQLite in the data folder */
  readonly databaseUrl: string | null;
  /** `DATA_DIR` */
  readonly dataDir: string;
  /** Bytes reserved on the disk of the data folder, for deleting when it is full; 0 for none. */
  readonly reserveBytes: number;
  readonly log: Pick<FastifyBaseLogger, 'warn'>;
}

/** @throws DatabaseError if the stored data cannot be used */
export async function openDatabase({ databaseUrl, dataDir, reserveBytes, log }: OpenDatabaseOptions): Promise<Database> {
  if (databaseUrl === null) return openSqlite(dataDir, undefined, reserveBytes);
  const { openPostgres } = await import('./postgres/open-postgres.ts');
  return openPostgres(databaseUrl, { log });
}
