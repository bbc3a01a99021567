import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { ChangeOptions, Database } from '../database.ts';
import { DatabaseError, hasDatabaseCode } from '../database-error.ts';
import { retry } from '../retry.ts';
import type { Tables } from '../tables.ts';
import { isConflict, isLost } from './postgres-error.ts';

/** How long a change that is not patient is retried after conflicts. */
const REQUEST_PATIENCE_MS = 3000;
const PAUSES_MS = [5, 1000] as const;

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
          if (patient)
            ending = { value, transactionId: await readText(transaction, sql`pg_current_xact_id_if_assigned()::text`) };
          return value;
        });
    } catch (error) {
      if (ending?.transactionId == null || !isLost(error) || !(await wasCommitted(ending.transactionId))) throw error;
      return ending.value;
    }
  }

  /** Waits until PostgreSQL is reachable and has decided. */
  const wasCommitted = (transactionId: string): Promise<boolean> =>
    retry(
      async () => {
        const status = await readText(query, sql`pg_xact_status(${transactionId}::xid8)`);
        if (status === 'in progress') throw new DatabaseError('BUSY', 'PostgreSQL has not decided about a transaction yet.');
        return status === 'committed';
      },
      { isPassing: (error) => isLost(error) || hasDatabaseCode(error, 'BUSY'), pausesMs: PAUSES_MS, stopping },
    );

  return (options, change) =>
    retry(() => attempt(options, change), {
      isPassing: (error) => isConflict(error) || (options.patient === true && (isLost(error) || hasDatabaseCode(error, 'BUSY'))),
      ...(options.patient ? {} : { patienceMs: REQUEST_PATIENCE_MS }),
      pausesMs: PAUSES_MS,
      stopping,
    });
}

async function readText(query: Kysely<Tables>, value: RawBuilder<string | null>): Promise<string | null> {
  return (await query.selectNoFrom(value.as('value')).executeTakeFirstOrThrow()).value;
}
