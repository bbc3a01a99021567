import type Sqlite from 'better-sqlite3';
import type { Kysely } from 'kysely';
import type { Database } from '../database.ts';
import { hasDatabaseCode } from '../database-error.ts';
import type { Tables } from '../tables.ts';
import type { Reserve } from './reserve.ts';
import type { SharedConnection } from './shared-connection.ts';

export interface CreateChangeOptions {
  readonly shared: SharedConnection;
  readonly sqlite: Sqlite.Database;
  /** uses the connection without taking turns */
  readonly query: Kysely<Tables>;
  readonly reserve: Reserve;
  /** how long a change that is not patient waits for another program's lock */
  readonly patienceMs: number;
}

export function createChange({ shared, sqlite, query, reserve, patienceMs }: CreateChangeOptions): Database['change'] {
  async function complete<T>(change: (query: Kysely<Tables>) => Promise<T>): Promise<T> {
    try {
      const value = await change(query);
      shared.commit();
      return value;
    } catch (error) {
      shared.rollBack();
      throw shared.explain(error);
    }
  }

  /** Uses the reserved space, which is reserved again at the end, as far as there is any. */
  async function completeOnFullDisk<T>(change: (query: Kysely<Tables>) => Promise<T>): Promise<T> {
    reserve.release();
    try {
      shared.begin();
      return await complete(change);
    } finally {
      giveLogBack();
    }
  }

  /** Checkpoints and truncates the write-ahead log, so that the reserve gets its space back. */
  function giveLogBack(): void {
    try {
      sqlite.pragma('wal_checkpoint(TRUNCATE)');
    } catch (error) {
      // The log then keeps its space until there is more.
      if (!hasDatabaseCode(shared.explain(error), 'DISK_FULL')) throw error;
    }
  }

  return async ({ patient, freesRoom, light }, change) => {
    const begin = (): void => {
      // This pragma cannot change within a transaction.
      if (light) sqlite.pragma('synchronous = NORMAL');
      try {
        shared.begin();
      } catch (error) {
        if (light) sqlite.pragma('synchronous = FULL');
        throw error;
      }
    };
    const { leave } = await shared.enter(begin, patient ? Number.POSITIVE_INFINITY : patienceMs);
    try {
      return await complete(change).catch((error: unknown) => {
        if (freesRoom && hasDatabaseCode(error, 'DISK_FULL')) return completeOnFullDisk(change);
        throw error;
      });
    } finally {
      try {
        if (light) sqlite.pragma('synchronous = FULL');
        if (freesRoom) reserve.fill();
      } finally {
        leave();
      }
    }
  };
}
