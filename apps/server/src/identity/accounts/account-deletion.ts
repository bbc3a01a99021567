import type { Database } from '../../database/open-database.ts';
import { IdentityError } from '../identity-error.ts';
import { deleteInvitations } from '../invitations/invitations.ts';
import type { IdentityLog } from '../mail/mail-queue.ts';
import type { Query } from './account-store.ts';
import type { Sessions } from './sessions.ts';

/**
 * Removes what other parts of the server keep of an account. May be called again for the same account after a failure.
 *
 * @param createdUntilMs when the newest of it was created, in milliseconds since 1970; all of it when absent
 */
export type OnAccountDeleted = (accountId: string, createdUntilMs?: number) => Promise<void>;

export type AccountDeletion = ReturnType<typeof createAccountDeletion>;

export interface AccountDeletionOptions {
  readonly database: Database;
  readonly sessions: Sessions;
  readonly onAccountDeleted: OnAccountDeleted;
  /** Another service has the accounts: people go on with one after everything that is kept here of it was deleted. */
  readonly accountsStay: boolean;
  readonly log: IdentityLog;
  readonly now: () => number;
}

/**
 * A deletion is noted in the transaction that removes the account and crossed off once the other parts have followed: neither a
 * failure there nor a killed process leaves a deleted person's recordings behind.
 */
export function createAccountDeletion(options: AccountDeletionOptions) {
  const { database, sessions, onAccountDeleted, accountsStay, log, now } = options;

  async function note(query: Query, accountId: string, deletedAtMs: number): Promise<void> {
    // At once: someone may go on with the account, and what they agree to and choose then stays.
    await query.deleteFrom('termsAcceptances').where('accountId', '=', accountId).execute();
    await query.deleteFrom('accountSettings').where('accountId', '=', accountId).execute();
    await query
      .insertInto('accountDeletions')
      .values({ accountId, deletedAtMs })
      .onConflict((conflict) => conflict.column('accountId').doUpdateSet({ deletedAtMs }))
      .execute();
  }

  async function follow(accountId: string, deletedAtMs: number, createdUntilMs?: number): Promise<void> {
    try {
      await onAccountDeleted(accountId, createdUntilMs);
      await database.change({ freesRoom: true }, (query) =>
        query
          .deleteFrom('accountDeletions')
          .where('accountId', '=', accountId)
          // It may have been deleted once more meanwhile.
          .where('deletedAtMs', '=', deletedAtMs)
          .execute(),
      );
    } catch (error) {
      log.error({ err: error }, 'data of a deleted account could not be removed yet; the next start will try again');
      throw error;
    }
  }

  /** What is left is taken up at the next start. */
  const unlessItFails = (following: Promise<void>): Promise<void> => following.catch(() => {});

  return {
    /** Deletes an account, its sessions, codes, invitations and agreements, then what other parts keep. @throws IdentityError USER_NOT_FOUND */
    delete: async (accountId: string): Promise<void> => {
      const deletedAtMs = now();
      await database.change({ freesRoom: true }, async (query) => {
        await sessions.end(query, accountId, 'accountDeleted');
        await deleteInvitations(query, accountId);
        const { numDeletedRows } = await query.deleteFrom('accounts').where('id', '=', accountId).executeTakeFirst();
        if (numDeletedRows !== 1n) throw new IdentityError('USER_NOT_FOUND');
        await note(query, accountId, deletedAtMs);
      });
      await unlessItFails(follow(accountId, deletedAtMs));
    },
    /**
     * Removes what is kept by the id of an account of a foreign identity service.
     *
     * @throws what kept some of it from being removed. The next start removes the rest, but nothing that was recorded since
     */
    deleteKept: async (accountId: string): Promise<void> => {
      const deletedAtMs = now();
      await database.change({ freesRoom: true }, async (query) => {
        await sessions.end(query, accountId, 'accountDeleted');
        await note(query, accountId, deletedAtMs);
      });
      await follow(accountId, deletedAtMs);
    },
    /** Takes up deletions that an earlier run of the program did not finish. */
    resume: async (): Promise<void> => {
      const pending = await database.query.selectFrom('accountDeletions').selectAll().execute();
      for (const { accountId, deletedAtMs } of pending) {
        await unlessItFails(follow(accountId, deletedAtMs, accountsStay ? deletedAtMs : undefined));
      }
    },
  };
}
