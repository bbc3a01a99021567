import { setTimeout as sleep } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import type { ChangeOptions, Database } from '../database.ts';
import { DatabaseError, hasDatabaseCode } from '../database-error.ts';
import type { Tables } from '../tables.ts';
import { isConflict, isLost } from './postgres-error.ts';

/** How long a change that is not patient is retried after conflicts. */
const REQUEST_PATIENCE_MS = 3000;
const FIRST_PAUSE_MS = 5;
const LONGEST_PAUSE_MS = 1000;

/** The result of a transaction and, if it writes, its id, by which PostgreSQL can tell later whether it was committed. */
interface Ending<T> {
  readonly value: T;
  readonly transactionId: string | null;
}

/** Serializable transactions, retried after conflicts. @param stopping ends the retries of patient ones */
export function createChange(query: Kysely<Tables>, stopping: AbortSignal): Database['change'] {
  async function attempt<T>({ patient, light }: ChangeOptions, change: (query: Kysely<Tables>) => Promise<T>): Promise<T> {
    let ending: Ending<T> | null = null as Ending<T> | null;
    try {
      return await query
        .transaction()
        .setIsolationLevel('serializable')
        .execute(async (transaction) => {
          if (light) await sql`SET LOCAL synchronous_commit = off`.execute(transaction);
          const value = await change(transaction);
          if (patient) ending = { value, transactionId: await transactionIdOf(transaction) };
          return value;
        });
    } catch (error) {
      if (ending?.transactionId == null || !isLost(error) || !(await wasCommitted(ending.transactionId))) throw error;
      return ending.value;
    }
  }

  /** Waits until PostgreSQL is reachable and has decided. */
  async function wasCommitted(transactionId: string): Promise<boolean> {
    for (let tries = 0; ; tries += 1) {
      try {
        const status = await statusOf(query, transactionId);
        if (status !== 'in progress') return status === 'committed';
      } catch (error) {
        if (stopping.aborted || !isLost(error)) throw error;
      }
      await pause(tries, stopping);
      if (stopping.aborted) throw new DatabaseError('UNREACHABLE', 'The server is stopping while PostgreSQL is unavailable.');
    }
  }

  return async (options, change) => {
    const givesUpAt = performance.now() + (options.patient ? Number.POSITIVE_INFINITY : REQUEST_PATIENCE_MS);
    for (let tries = 0; ; tries += 1) {
      try {
        return await attempt(options, change);
      } catch (error) {
        const isMadeAgain = isConflict(error) || (options.patient && (isLost(error) || hasDatabaseCode(error, 'BUSY')));
        if (!isMadeAgain || stopping.aborted || performance.now() > givesUpAt) throw error;
      }
      await pause(tries, stopping);
    }
  };
}

/** Waits for a random time, so that transactions that conflicted do not conflict again. */
async function pause(tries: number, signal: AbortSignal): Promise<void> {
  const longest = Math.min(FIRST_PAUSE_MS * 2 ** tries, LONGEST_PAUSE_MS);
  await sleep(longest * Math.random(), undefined, { signal }).catch(() => {});
}

async function transactionIdOf(transaction: Kysely<Tables>): Promise<string | null> {
  const { rows } = await sql<{ id: string | null }>`SELECT pg_current_xact_id_if_assigned()::text AS id`.execute(transaction);
  return rows[0]?.id ?? null;
}

async function statusOf(query: Kysely<Tables>, transactionId: string): Promise<string | null> {
  const { rows } = await sql<{ status: string | null }>`SELECT pg_xact_status(${transactionId}::xid8) AS status`.execute(query);
  return rows[0]?.status ?? null;
}
