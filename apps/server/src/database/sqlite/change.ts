import { setTimeout as sleep } from 'node:timers/promises';
import type Sqlite from 'better-sqlite3';
import type { Kysely } from 'kysely';
import type { Database } from '../database.ts';
import { hasDatabaseCode } from '../database-error.ts';
import type { Tables } from '../tables.ts';
import type { GuardedFile } from './guarded-file.ts';
import type { Reserve } from './reserve.ts';

/** How long a change that is not patient waits for another program's write lock. */
const PATIENCE_MS = 1000;
const FIRST_PAUSE_MS = 4;
const LONGEST_PAUSE_MS = 64;

export interface CreateChangeOptions {
  readonly sqlite: Sqlite.Database;
  readonly file: GuardedFile;
  readonly query: Kysely<Tables>;
  readonly reserve: Reserve;
  /** ends all waiting */
  readonly stopping: AbortSignal;
}

/**
 * SQLite runs on the thread that answers requests, so it never waits for another program's lock. A change is tried again a little later
 * instead, and until then others can use the connection, above all for reading.
 */
export function createChange({ sqlite, file, query, reserve, stopping }: CreateChangeOptions): Database['change'] {
  type Change<T> = (query: Kysely<Tables>) => Promise<T>;

  async function attempt<T>(within: Kysely<Tables>, change: Change<T>): Promise<T> {
    file.begin();
    try {
      const value = await change(within);
      file.commit();
      return value;
    } catch (error) {
      file.rollBack();
      throw error;
    }
  }

  /** Uses the reserved space, which is reserved again at the end, as far as there is any. */
  async function attemptOnFullDisk<T>(within: Kysely<Tables>, change: Change<T>): Promise<T> {
    reserve.release();
    try {
      return await attempt(within, change);
    } finally {
      file.truncateLog();
    }
  }

  return ({ patient, freesRoom, light }, change) =>
    retry(patient ? Number.POSITIVE_INFINITY : PATIENCE_MS, stopping, () =>
      // Nothing else uses the connection meanwhile.
      query.connection().execute(async (within) => {
        // This pragma cannot change within a transaction.
        if (light) sqlite.pragma('synchronous = NORMAL');
        try {
          return await attempt(within, change);
        } catch (error) {
          if (freesRoom && hasDatabaseCode(error, 'DISK_FULL')) return await attemptOnFullDisk(within, change);
          throw error;
        } finally {
          if (light) sqlite.pragma('synchronous = FULL');
          if (freesRoom) reserve.fill();
        }
      }),
    );
}

/** Repeats what fails because another program holds the lock. */
async function retry<T>(patienceMs: number, stopping: AbortSignal, work: () => Promise<T>): Promise<T> {
  const givesUpAt = performance.now() + patienceMs;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    try {
      return await work();
    } catch (error) {
      const isLate = stopping.aborted || performance.now() + pauseMs > givesUpAt;
      if (isLate || !hasDatabaseCode(error, 'BUSY')) throw error;
    }
    await sleep(pauseMs, undefined, { signal: stopping }).catch(() => {});
  }
}
