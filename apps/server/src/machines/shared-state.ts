import { randomBytes } from 'node:crypto';
import { CompiledQuery } from 'kysely';
import type { Database } from '../database/database.ts';
import { isPostgres } from '../database/open-database.ts';
import { type AskPostgres, type CreateLimiter, createMemoryLimiter, createSharedLimiters } from '../http/limits/limiters.ts';
import { createSignOuts, openSharedSignOuts, type SignOuts } from '../identity/accounts/sign-outs.ts';

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

/** State that all machines share. A single machine has it in memory. */
export interface SharedState {
  readonly createLimiter: CreateLimiter;
  readonly signOuts: SignOuts;
  /** signs tickets */
  readonly ticketKey: Uint8Array;
  /** Deletes expired counts from the database; in memory they expire on their own. */
  clearCounts(): Promise<void>;
}

const KEY_BYTES = 32;

/** @throws DatabaseError */
export async function openSharedState(database: Database): Promise<SharedState> {
  if (!isPostgres(database)) {
    return {
      createLimiter: createMemoryLimiter,
      signOuts: createSignOuts(),
      ticketKey: randomBytes(KEY_BYTES),
      async clearCounts() {},
    };
  }
  const ticketKey = await sharedValue(database, 'ticketKey', () => randomBytes(KEY_BYTES).toString('base64'));
  return {
    createLimiter: createSharedLimiters(askOf(database)),
    signOuts: await openSharedSignOuts(database),
    ticketKey: Buffer.from(ticketKey, 'base64'),
    async clearCounts() {
      await database.query.deleteFrom('rateLimits').where('expire', '<', Date.now()).execute();
    },
  };
}

/** Queries like `pg`, but with DatabaseErrors. */
const askOf =
  ({ query }: Pick<Database, 'query'>): AskPostgres =>
  async ({ text, values }) => {
    const { rows } = await query.executeQuery(CompiledQuery.raw(text, values));
    return { rows, rowCount: rows.length };
  };
