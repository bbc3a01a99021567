import type { Database } from '../../database/open-database.ts';
import { IdentityError } from '../identity-error.ts';
import { deleteInvitations } from '../invitations/invitations.ts';
import type { IdentityLog } from '../mail/mail-queue.ts';
import type { Query } from './account-store.ts';
import type { Sessions } from './sessions.ts';

/** Removes what other parts of the server keep of an account. May be called again for the same account after a failure. */
export type OnAccountDeleted = (accountId: string) => Promise<void>;

export type AccountDeletion = ReturnType<typeof createAccountDeletion>;

export interface AccountDeletionOptions {
  readonly database: Database;
  readonly sessions: Sessions;
  readonly onAccountDeleted: OnAccountDeleted;
  readonly log: IdentityLog;
  readonly now: () => number;
}

/**
 * A deletion is noted in the transaction that removes the account and crossed off once the other parts have followed: neither a
 * failure there nor a killed process leaves a deleted person's recordings behind.
 */
export function createAccountDeletion({ database, sessions, onAccountDeleted, log, now }: AccountDeletionOptions) {
  async function note(query: Query, accountId: string): Promise<void> {
    await query.deleteFrom('termsAcceptances').where('accountId', '=', accountId).execute();
    await query
      .insertInto('accountDeletions')
      .values({ accountId, deletedAtMs: now() })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }

  async function follow(accountId: string): Promise<void> {
    try {
      await onAccountDeleted(accountId);
      await database.change({ freesRoom: true }, (query) =>
        query.deleteFrom('accountDeletions').where('accountId', '=', accountId).execute(),
      );
    } catch (error) {
      log.error({ err: error }, 'data of a deleted account could not be removed yet; the next start will try again');
    }
  }

  return {
    /** Deletes an account, its sessions, codes, invitations and agreements, then what other parts keep. @throws IdentityError USER_NOT_FOUND */
    delete: async (accountId: string): Promise<void> => {
      await database.change({ freesRoom: true }, async (query) => {
        await sessions.end(query, accountId, 'accountDeleted');
        await deleteInvitations(query, accountId);
        const { numDeletedRows } = await query.deleteFrom('accounts').where('id', '=', accountId).executeTakeFirst();
        if (numDeletedRows !== 1n) throw new IdentityError('USER_NOT_FOUND');
        await note(query, accountId);
      });
      await follow(accountId);
    },
    /** Removes what is kept by the id of an account of a foreign identity service. */
    deleteKept: async (accountId: string): Promise<void> => {
      await database.change({ freesRoom: true }, async (query) => {
        await sessions.end(query, accountId, 'accountDeleted');
        await note(query, accountId);
      });
      await follow(accountId);
    },
    /** Takes up deletions that an earlier run of the program did not finish. */
    resume: async (): Promise<void> => {
      const pending = await database.query.selectFrom('accountDeletions').select('accountId').execute();
      for (const { accountId } of pending) await follow(accountId);
    },
  };
}
