import { type Database, isPostgres } from '../../database/open-database.ts';
import type { IdentityLog } from '../mail/mail-queue.ts';
import { changeAccount, type Query } from './account-store.ts';
import type { Sessions } from './sessions.ts';

/** Ends what other parts of the server have going on for an account. May be called again for the same account. */
export type OnAccountEnded = (accountId: string) => Promise<void>;

export type AccountEnding = Awaited<ReturnType<typeof openAccountEnding>>;

export interface AccountEndingOptions {
  readonly database: Database;
  readonly sessions: Pick<Sessions, 'end'>;
  readonly onAccountEnded: OnAccountEnded;
  readonly log: IdentityLog;
}

/** Where machines tell each other. */
const CHANNEL = 'accountEndings';
/** On SQLite, whose rows another program can change but not announce. */
const LOOK_EVERY_MS = 200;
const RETRY_MS = 10_000;

/**
 * Disables an account, which every request from now on finds, and notes that what goes on for it is to end: a running server does that at
 * once, or the next one at its start. For the server itself and for programs beside it.
 *
 * @param query of a change
 * @returns false when there is no such account
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

/** Whether what went on for an account that was disabled has ended. */
export async function hasEnded(query: Query, accountId: string): Promise<boolean> {
  const row = await query.selectFrom('accountEndings').select('accountId').where('accountId', '=', accountId).executeTakeFirst();
  return row === undefined;
}

/** Ends everything that goes on for accounts that are disabled: their sessions, and what other parts of the server end for them. */
export async function openAccountEnding({ database, sessions, onAccountEnded, log }: AccountEndingOptions) {
  /** By this process, now or in a moment again. */
  const inHand = new Map<string, Promise<void>>();
  const timers = new Set<NodeJS.Timeout>();

  const findNote = (accountId: string) =>
    database.query.selectFrom('accountEndings').select('disabledAtMs').where('accountId', '=', accountId).executeTakeFirst();

  async function end(accountId: string): Promise<void> {
    try {
      // Of several machines, those that come late find nothing to do. What was enabled and disabled meanwhile is noted anew.
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
      const timer = setTimeout(() => {
        timers.delete(timer);
        inHand.delete(accountId);
        void resume();
      }, RETRY_MS).unref();
      timers.add(timer);
    }
  }

  function follow(accountId: string): Promise<void> {
    const ending = inHand.get(accountId) ?? end(accountId);
    inHand.set(accountId, ending);
    return ending;
  }

  async function look(): Promise<void> {
    const rows = await database.query.selectFrom('accountEndings').select('accountId').execute();
    await Promise.all(rows.map(({ accountId }) => follow(accountId)));
  }

  let isAway = false;
  async function resume(): Promise<void> {
    try {
      await look();
      isAway = false;
    } catch (error) {
      // Said once: what is the case with the database is told elsewhere.
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
  if (stopListening === null) timers.add(setInterval(() => void resume(), LOOK_EVERY_MS).unref());

  return {
    /** To be called once the change that disabled the account is committed. Resolves when all has ended, or is tried again later. */
    follow,
    /** Takes up what an earlier run of the program did not finish. */
    resume,
    async close(): Promise<void> {
      for (const timer of timers) clearTimeout(timer);
      await stopListening?.();
      await Promise.all(inHand.values());
    },
  };
}
