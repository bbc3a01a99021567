import { setTimeout as sleep } from 'node:timers/promises';
import type Sqlite from 'better-sqlite3';
import type { CompiledQuery, QueryResult } from 'kysely';
import { DatabaseError, hasDatabaseCode } from '../database-error.ts';
import { explainStorage } from './storage-error.ts';

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
 * The one connection to the database, and who has it. SQLite works on the thread that answers requests, so it never waits for another
 * program's lock itself: it is asked again a little later, and until then the connection is free for others, above all for those that read.
 *
 * Every method throws DatabaseError BUSY, DISK_FULL, FILE_LOST or FILE_DAMAGED for trouble with the storage.
 */
export function shareConnection({ sqlite, fileName, ...options }: SharedConnectionOptions) {
  const stopping = new AbortController();
  let last: Promise<void> = Promise.resolve();
  let damage: DatabaseError | null = null;

  /** Closing removes the log. */
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
    const explained = explainStorage(error, fileName);
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
     * Has the connection for itself from the moment at which `start` succeeds, which is tried for `patienceMs` while another program has the lock.
     *
     * @returns what `start` has returned, and what is to be called at the end
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
    /** Takes the lock for writing at once: a transaction that only reads at first could be refused later, when it writes. */
    begin: (): void => explaining(() => void sqlite.exec('BEGIN IMMEDIATE')),
    run: <Row>({ sql, parameters }: CompiledQuery): QueryResult<Row> =>
      explaining(() => {
        const statement = sqlite.prepare(sql);
        if (statement.reader) {
          // kysely states the type of its rows; what comes is what the query selects.
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
    /** What SQLite says of the storage, in words; everything else as it is. */
    explain,
    /** Why nothing can be stored any more, as long as that lasts; null when all is well or only for a moment not. */
    findFault(): DatabaseError | null {
      try {
        requireFiles();
        return damage;
      } catch (error) {
        if (error instanceof DatabaseError) return error;
        throw error;
      }
    },
    /** What waits for a lock fails from now on. */
    stopWaiting: (): void => stopping.abort(),
  };

  /** What was written is there for good only if its file is. */
  function acknowledge(): void {
    if (!sqlite.inTransaction) requireFiles();
  }
}
