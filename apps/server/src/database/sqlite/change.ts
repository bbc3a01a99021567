import type Sqlite from 'better-sqlite3';
import type { Kysely } from 'kysely';
import type { Database } from '../database.ts';
import { hasDatabaseCode } from '../database-error.ts';
import { type RetryOptions, retry } from '../retry.ts';
import type { Tables } from '../tables.ts';
import type { GuardedFile } from './guarded-file.ts';
import type { Reserve } from './reserve.ts';

/** How long a change that is not patient waits for another program's write lock. */
const PATIENCE_MS = 1000;

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
  const whileBusy: RetryOptions = { isPassing: (error) => hasDatabaseCode(error, 'BUSY'), pausesMs: [4, 64], stopping };
  return ({ patient, freesRoom, light }, change) =>
    retry(
      () =>
        // Nothing else uses the connection meanwhile.
        query.connection().execute(async (within) => {
          // This pragma cannot change within a transaction.
          if (light) sqlite.pragma('synchronous = NORMAL');
          try {
            return await file.transaction(() => change(within));
          } catch (error) {
            if (!freesRoom || !hasDatabaseCode(error, 'DISK_FULL')) throw error;
            // Uses the reserved space, which is reserved again at the end, as far as there is any.
            reserve.release();
            return await file.transaction(() => change(within)).finally(file.truncateLog);
          } finally {
            if (light) sqlite.pragma('synchronous = FULL');
            if (freesRoom) reserve.fill();
          }
        }),
      patient ? whileBusy : { ...whileBusy, patienceMs: PATIENCE_MS },
    );
}
