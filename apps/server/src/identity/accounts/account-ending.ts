import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../../database/database.ts';
import { isPostgres } from '../../database/open-database.ts';
import type { IdentityLog } from '../mail/mail-queue.ts';
import { changeAccount, type Query } from './account-store.ts';
import type { Sessions } from './sessions.ts';

/** Stops the work of other parts of the server for an account. Safe to call again for the same account. */
export type OnAccountEnded = (accountId: string) => Promise<void>;

export type AccountEnding = Awaited<ReturnType<typeof openAccountEnding>>;

export interface AccountEndingOptions {
  readonly database: Database;
  readonly sessions: Pick<Sessions, 'end'>;
  readonly onAccountEnded: OnAccountEnded;
  readonly log: IdentityLog;
}

/** Notification channel between machines. */
const CHANNEL = 'accountEndings';
/** Polling interval on SQLite, where other programs can change rows but not notify the server. */
const LOOK_EVERY_MS = 200;
const RETRY_MS = 10_000;

/**
 * Disables an account, so that every later request is refused, and records that its sessions and work in progress must end: a running
 * server ends them at once, otherwise the next one does at its start. Used by the server and by programs beside it.
 *
 * @param query of a transaction
 * @returns false if there is no such account
 */
export async function disableAccount(
  database: Database,
  query: Query,
  accountId: string,
  nowMs: number = Date.now(),
): Promise<boolean> {
  if ((await changeAccount(query, accountId, { disabled: true })) === null) return false;
  await query
    .insertInto('accountEndings')
    .values({ accountId, disabledAtMs: nowMs })
    .onConflict((conflict) => conflict.column('accountId').doUpdateSet({ disabledAtMs: nowMs }))
    .execute();
  if (isPostgres(database)) await database.notify(CHANNEL, accountId, query);
  return true;
}

/** Whether the sessions and work of a disabled account have ended. */
export async function hasEnded(query: Query, accountId: string): Promise<boolean> {
  const row = await query.selectFrom('accountEndings').select('accountId').where('accountId', '=', accountId).executeTakeFirst();
  return row === undefined;
}

/** Ends the sessions of disabled accounts, and the work that other parts of the server do for them. */
export async function openAccountEnding({ database, sessions, onAccountEnded, log }: AccountEndingOptions) {
  /** Accounts that this process is working on or will retry soon. */
  const inHand = new Map<string, Promise<void>>();
  const closing = new AbortController();

  const findNote = (accountId: string) =>
    database.query.selectFrom('accountEndings').select('disabledAtMs').where('accountId', '=', accountId).executeTakeFirst();

  async function end(accountId: string): Promise<void> {
    try {
      // With several machines, the later ones find no row. An account that was enabled and disabled again meanwhile has a row with a new
      // time.
      for (let note = await findNote(accountId); note !== undefined; note = await findNote(accountId)) {
        const { disabledAtMs } = note;
        await database.change({ freesRoom: true }, (query) => sessions.end(query, accountId, 'disabled'));
        await onAccountEnded(accountId);
        await database.change({ freesRoom: true }, (query) =>
          query
            .deleteFrom('accountEndings')
            .where('accountId', '=', accountId)
            .where('disabledAtMs', '=', disabledAtMs)
            .execute(),
        );
      }
      inHand.delete(accountId);
    } catch (error) {
      log.error({ err: error }, 'what goes on for a disabled account could not all be ended; trying again');
      void sleep(RETRY_MS, undefined, { ref: false, signal: closing.signal }).then(
        () => {
          inHand.delete(accountId);
          return resume();
        },
        () => {},
      );
    }
  }

  function follow(accountId: string): Promise<void> {
    const ending = inHand.get(accountId) ?? end(accountId);
    inHand.set(accountId, ending);
    return ending;
  }

  let isAway = false;
  async function resume(): Promise<void> {
    try {
      const rows = await database.query.selectFrom('accountEndings').select('accountId').execute();
      isAway = false;
      await Promise.all(rows.map(({ accountId }) => follow(accountId)));
    } catch (error) {
      // Logged once per outage: the readiness check reports the state of the database.
      if (!isAway) log.error({ err: error }, 'disabled accounts could not be looked up; trying again');
      isAway = true;
    }
  }

  const stopListening = isPostgres(database)
    ? await database.listen(
        CHANNEL,
        (id) => void follow(id),
        () => void resume(),
      )
    : null;
  const looking = stopListening === null ? setInterval(() => void resume(), LOOK_EVERY_MS).unref() : undefined;

  return {
    /** Call after the transaction that disabled the account commits. Resolves when everything has ended, or when a retry is scheduled. */
    follow,
    /** Processes all recorded endings, including those of an earlier run. */
    resume,
    async close(): Promise<void> {
      closing.abort();
      clearInterval(looking);
      await stopListening?.();
      await Promise.all(inHand.values());
    },
  };
}
