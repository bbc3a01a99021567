/** The database that several machines share: how it is opened, changed and closed. `open-database.ts` and `npm run move` open it. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import { Kysely, PostgresDialect, type RawBuilder, sql } from 'kysely';
import type { Pool } from 'pg';
import type { ChangeOptions, Database } from '../database.ts';
import { DatabaseError, hasDatabaseCode } from '../database-error.ts';
import { expressions } from '../expressions.ts';
import { type Migration, migrations } from '../migrations.ts';
import { retry } from '../retry.ts';
import type { Tables } from '../tables.ts';
import { isUniqueViolation } from '../unique-violation.ts';
import { connectClient, createPool, endClient, explainErrors } from './connections.ts';
import { migrate } from './migrate.ts';
import { createNotifications } from './notifications.ts';
import { explainPostgres, isConflict, isLost } from './postgres-error.ts';

/** How long the readiness check waits for an answer. */
const FAULT_MS = 3000;
/** How long `close` waits: connections over a broken network do not end on their own. */
const CLOSE_MS = 2000;
/** How long a change that is not patient is retried after conflicts. */
const REQUEST_PATIENCE_MS = 3000;
const PAUSES_MS = [5, 1000] as const;

export interface PostgresDatabase extends Database {
  readonly kind: 'postgres';
  /** for libraries that run their own queries; 64-bit integers are read as numbers */
  readonly pool: Pool;
  /** @param payload less than 8,000 bytes @param query of a transaction: notifies when it commits, and not at all if it rolls back */
  notify(channel: string, payload: string, query?: Kysely<Tables>): Promise<void>;
  /**
   * Receives what `notify` sends on any machine, once the promise is fulfilled. Notifications are missed while the connection is lost;
   * `onReconnected` is called when it is back.
   *
   * @returns stops listening
   * @throws DatabaseError UNREACHABLE
   */
  listen(channel: string, onNotification: (payload: string) => void, onReconnected?: () => void): Promise<() => Promise<void>>;
}

/**
 * Opens a PostgreSQL database, which several processes may share, and migrates its schema.
 *
 * Changes run as serializable transactions, except those of their own rows: the result is as if they had run one after the other. No statement waits longer than 12
 * seconds, even over a broken network.
 *
 * @throws DatabaseError UNREACHABLE, SCHEMA_NEWER, FILE_FOREIGN, SERVER_TOO_OLD
 */
export async function openPostgres(
  url: string,
  { log, steps = migrations }: { readonly log: Pick<FastifyBaseLogger, 'warn'>; readonly steps?: readonly Migration[] },
): Promise<PostgresDatabase> {
  const migrated = await takeSteps(url, steps);
  const pool = createPool(url);
  const stopping = new AbortController();
  const query = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: explainErrors(pool) }) });
  const notifications = createNotifications(url);
  return {
    kind: 'postgres',
    expressions: expressions.postgres,
    query,
    pool,
    migrated,
    change: createChange(query, stopping.signal),
    async notify(channel, payload, within = query) {
      await sql`SELECT pg_notify(${channel}, ${payload})`.execute(within);
    },
    listen: notifications.listen,
    async findFault() {
      const asking = sql`SELECT pg_current_xact_id()`.execute(query).then(
        () => null,
        (error: unknown) => (error instanceof DatabaseError ? error : asFault(error)),
      );
      const late = asFault(new Error('PostgreSQL is not responding'));
      return await Promise.race([asking, sleep(FAULT_MS, late, { ref: false })]);
    },
    stopWaiting: () => stopping.abort(),
    async close() {
      if (pool.ending) return;
      stopping.abort();
      const closing = Promise.all([notifications.close(), pool.end()]).then(() => true);
      const isClosed = await Promise.race([closing, sleep(CLOSE_MS, false, { ref: false })]);
      if (!isClosed) log.warn('connections to PostgreSQL were left open: it is not responding');
    },
  };
}

async function takeSteps(url: string, steps: readonly Migration[]): Promise<readonly string[]> {
  const client = await connectClient(url);
  try {
    return await migrate(client, steps);
  } catch (error) {
    throw explainPostgres(error);
  } finally {
    await endClient(client);
  }
}

const asFault = (cause: unknown): DatabaseError =>
  new DatabaseError('UNREACHABLE', 'PostgreSQL is read-only right now.', { cause });

/** The result of a transaction and, if it writes, its id, by which PostgreSQL can tell later whether it was committed. */
interface Ending<T> {
  readonly value: T;
  readonly transactionId: string | null;
}

/** Transactions, serializable unless they change their own rows only, retried after conflicts. @param stopping ends the retries of patient ones */
function createChange(query: Kysely<Tables>, stopping: AbortSignal): Database['change'] {
  async function attempt<T>(
    { patient, light, ownRows }: ChangeOptions,
    change: (query: Kysely<Tables>) => Promise<T>,
  ): Promise<T> {
    let ending: Ending<T> | null = null as Ending<T> | null;
    try {
      return await query
        .transaction()
        .setIsolationLevel(ownRows ? 'read committed' : 'serializable')
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
      isPassing: (error) =>
        isConflict(error) ||
        // Another has just inserted the row, which is visible now.
        (options.ownRows === true && isUniqueViolation(error)) ||
        (options.patient === true && (isLost(error) || hasDatabaseCode(error, 'BUSY'))),
      ...(options.patient ? {} : { patienceMs: REQUEST_PATIENCE_MS }),
      pausesMs: PAUSES_MS,
      stopping,
    });
}

async function readText(query: Kysely<Tables>, value: RawBuilder<string | null>): Promise<string | null> {
  return (await query.selectNoFrom(value.as('value')).executeTakeFirstOrThrow()).value;
}
