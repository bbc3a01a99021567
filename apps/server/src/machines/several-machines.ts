import type { FastifyBaseLogger } from 'fastify';
import type { Database } from '../database/database.ts';
import type { PostgresDatabase } from '../database/postgres/open-postgres.ts';
import { type Machines, newTicketKey } from '../parts/machines.ts';
import { openArrivals } from './arrivals.ts';
import { openKeyTable } from './key-table.ts';
import { openPostgresQueue } from './queue/postgres-queue.ts';
import { openSchedules } from './schedules.ts';
import { createSharedLimiters } from './shared-limiters.ts';
import { openSharedSignOuts } from './shared-sign-outs.ts';

export interface SeveralMachinesOptions {
  readonly database: PostgresDatabase;
  /** Whether this machine analyses recordings, or only accepts them. */
  readonly works: boolean;
  readonly log: FastifyBaseLogger;
}

/** What several machines share, in PostgreSQL. @throws DatabaseError */
export async function openSeveralMachines({ database, works, log }: SeveralMachinesOptions): Promise<Machines> {
  const ticketKey = await sharedValue(database, 'ticketKey', () => newTicketKey().toString('base64'));
  const createQueue = await openPostgresQueue({ database, works, log });
  const arrivals = await openArrivals(database);
  return {
    createLimiter: createSharedLimiters(database),
    signOuts: await openSharedSignOuts(database),
    ticketKey: Buffer.from(ticketKey, 'base64'),
    openKeys: () => openKeyTable(database),
    createQueue,
    arrivals,
    async clearCounts() {
      await database.query.deleteFrom('rateLimits').where('expire', '<', Date.now()).execute();
    },
    runChores: (chores, onError) => openSchedules({ database, log, chores, onError }),
    close: arrivals.close,
  };
}

/**
 * A value that all machines share: the first one stores it, the others read it.
 *
 * @param make creates the value; called even if there is one already
 * @throws DatabaseError
 */
async function sharedValue({ query }: Pick<Database, 'query'>, name: string, make: () => string): Promise<string> {
  await query
    .insertInto('sharedValues')
    .values({ name, value: make() })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const { value } = await query.selectFrom('sharedValues').select('value').where('name', '=', name).executeTakeFirstOrThrow();
  return value;
}
