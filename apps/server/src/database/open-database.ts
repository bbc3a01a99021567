import type { FastifyBaseLogger } from 'fastify';
import type { Kysely, RawBuilder, SqlBool } from 'kysely';
import type { DatabaseError } from './database-error.ts';
import type { PostgresDatabase } from './postgres/open-postgres.ts';
import { openSqlite } from './sqlite/open-sqlite.ts';
import type { Tables } from './tables.ts';

export interface ChangeOptions {
  /** Waits as long as it takes for another program's lock, or for a database that is away: for work that no client would ask for again. */
  readonly patient?: true;
  /** May use the space reserved for a full disk: it deletes, or is needed in order to delete. */
  readonly freesRoom?: true;
  /**
   * A power cut may undo it because it is made again then: not waited for until it is on the disk. A process that is killed loses nothing of
   * it; nor does anything else, because whatever is waited for later takes it along.
   */
  readonly light?: true;
}

/** Parts of queries that the databases write differently. */
export interface Expressions {
  /** The day of a prediction's recording, as stated or else as it was sent (UTC): `2026-05-01`. */
  readonly recordedOn: RawBuilder<string>;
  /** The day as stated; null where it was not. */
  readonly statedDay: RawBuilder<string | null>;
  /** Where it was recorded, in degrees, as stated. */
  readonly latitude: RawBuilder<number | null>;
  readonly longitude: RawBuilder<number | null>;
  /** Whether a column has one of these values, however many there are: they are one variable of the query. */
  readonly isOneOf: (column: string, values: readonly string[]) => RawBuilder<SqlBool>;
}

export interface Database {
  readonly kind: 'sqlite' | 'postgres';
  /**
   * For single statements, and for transactions that read nothing which their writes depend on.
   *
   * @throws DatabaseError BUSY, UNREACHABLE, …
   */
  readonly query: Kysely<Tables>;
  /**
   * A transaction that is as if it were alone. The change may be made several times, all but the last one undone: it touches nothing but
   * `query`. It does not go on after an error of `query`, which has ended the transaction.
   *
   * When the connection to PostgreSQL breaks while a transaction is committed, it is unknown whether it was. A patient change finds that
   * out. Another fails with UNREACHABLE and may have been made all the same, so it must do no harm when it is asked for again, as after any
   * answer that got lost.
   *
   * @throws DatabaseError and whatever the change throws
   */
  change<T>(options: ChangeOptions, change: (query: Kysely<Tables>) => Promise<T>): Promise<T>;
  /** what each database says in its own words */
  readonly expressions: Expressions;
  /** the steps of the schema taken when it was opened */
  readonly migrated: readonly string[];
  /** Why a write would not succeed now, at once, or null; for the readiness check. */
  findFault(): Promise<DatabaseError | null>;
  /** Changes that wait for a lock or for the database fail from now on: the server must stop. */
  stopWaiting(): void;
  close(): Promise<void>;
}

/** Whether several machines may use it. */
export const isPostgres = (database: Database): database is PostgresDatabase => database.kind === 'postgres';

export interface OpenDatabaseOptions {
  /** null: SQLite in the data folder */
  readonly databaseUrl: string | null;
  /** `DATA_DIR` */
  readonly dataDir: string;
  /** Bytes on the disk of the data folder that are reserved for deleting; 0 for none. */
  readonly reserveBytes: number;
  readonly log: Pick<FastifyBaseLogger, 'warn'>;
}

/** @throws DatabaseError when what is there cannot be used */
export async function openDatabase({ databaseUrl, dataDir, reserveBytes, log }: OpenDatabaseOptions): Promise<Database> {
  if (databaseUrl === null) return openSqlite(dataDir, undefined, { reserveBytes });
  const { openPostgres } = await import('./postgres/open-postgres.ts');
  return openPostgres(databaseUrl, { log });
}
