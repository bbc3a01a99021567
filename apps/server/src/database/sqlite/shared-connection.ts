import { setTimeout as sleep } from 'node:timers/promises';
import type Sqlite from 'better-sqlite3';
import type { CompiledQuery, QueryResult } from 'kysely';
import { DatabaseError, hasDatabaseCode } from '../database-error.ts';
import { explainSqlite } from './sqlite-error.ts';

export interface SharedConnectionOptions {
  readonly sqlite: Sqlite.Database;
  readonly fileName: string;
  /** @throws DatabaseError FILE_LOST */
  readonly requireFiles: () => void;
}

const FIRST_PAUSE_MS = 4;
const LONGEST_PAUSE_MS = 64;

export type SharedConnection = ReturnType<typeof shareConnection>;

/**
 * The only connection to the database, and whose turn it is. SQLite runs on the thread that answers requests, so it must never wait for
 * another program's lock: it is tried again a little later, and until then others can use the connection, above all for reading.
 *
 * Every method throws DatabaseError BUSY, DISK_FULL, FILE_LOST or FILE_DAMAGED for storage errors.
 */
export function shareConnection({ sqlite, fileName, ...options }: SharedConnectionOptions) {
  const stopping = new AbortController();
  let last: Promise<void> = Promise.resolve();
  let damage: DatabaseError | null = null;

  /** Not once it is closed, which removes the log. */
  const requireFiles = (): void => {
    if (sqlite.open) options.requireFiles();
  };

  async function takeTurn(): Promise<() => void> {
    const before = last;
    const { promise, resolve } = Promise.withResolvers<void>();
    last = promise;
    await before;
    return resolve;
  }

  function explain(error: unknown): unknown {
    const explained = explainSqlite(error, fileName);
    if (hasDatabaseCode(explained, 'FILE_DAMAGED')) damage = explained;
    return explained;
  }

  function explaining<T>(step: () => T): T {
    try {
      return step();
    } catch (error) {
      throw explain(error);
    }
  }

  return {
    /**
     * Gets exclusive use of the connection once `start` succeeds, which is retried for `patienceMs` while another program holds the lock.
     *
     * @returns the result of `start`, and `leave`, to be called at the end
     */
    async enter<T>(start: () => T, patienceMs: number): Promise<{ readonly value: T; readonly leave: () => void }> {
      const givesUpAt = performance.now() + patienceMs;
      for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
        const leave = await takeTurn();
        try {
          requireFiles();
          return { value: start(), leave };
        } catch (error) {
          leave();
          const explained = explain(error);
          const isLate = stopping.signal.aborted || performance.now() + pauseMs > givesUpAt;
          if (isLate || !hasDatabaseCode(explained, 'BUSY')) throw explained;
        }
        await sleep(pauseMs, undefined, { signal: stopping.signal }).catch(() => {});
      }
    },
    /** Takes the write lock at once: a transaction that starts by reading could be refused later, when it writes. */
    begin: (): void => explaining(() => void sqlite.exec('BEGIN IMMEDIATE')),
    run: <Row>({ sql, parameters }: CompiledQuery): QueryResult<Row> =>
      explaining(() => {
        const statement = sqlite.prepare(sql);
        if (statement.reader) {
          // Kysely states the row type; the actual one depends on the query.
          const rows = statement.all(parameters) as never[];
          if (!statement.readonly) acknowledge();
          return { rows };
        }
        const { changes, lastInsertRowid } = statement.run(parameters);
        acknowledge();
        return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
      }),
    commit(): void {
      explaining(() => void sqlite.exec('COMMIT'));
      acknowledge();
    },
    /** Ends a transaction, unless SQLite has ended it already. */
    rollBack(): void {
      if (sqlite.inTransaction) sqlite.exec('ROLLBACK');
    },
    /** Converts SQLite's storage errors to DatabaseErrors; returns other errors unchanged. */
    explain,
    /** The lasting fault that keeps anything from being stored; null if there is none, or only a temporary one. */
    findFault(): DatabaseError | null {
      try {
        requireFiles();
        return damage;
      } catch (error) {
        if (error instanceof DatabaseError) return error;
        throw error;
      }
    },
    /** Makes everything that waits for a lock fail from now on. */
    stopWaiting: (): void => stopping.abort(),
  };

  /** Written data lasts only if its file is still in place. */
  function acknowledge(): void {
    if (!sqlite.inTransaction) requireFiles();
  }
}
