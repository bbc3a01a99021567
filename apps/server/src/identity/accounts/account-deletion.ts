import type { Database } from '../../database/database.ts';
import { IdentityError } from '../identity-error.ts';
import { deleteInvitations } from '../invitations.ts';
import type { IdentityLog } from '../mail/mail-queue.ts';
import type { Query } from './account-store.ts';
import type { Sessions } from './sessions.ts';

/**
 * Deletes the data that other parts of the server keep for an account. Safe to call again after a failure.
 *
 * @param createdUntilMs deletes only data created up to this time, in milliseconds since 1970; everything if absent
 */
export type OnAccountDeleted = (accountId: string, createdUntilMs?: number) => Promise<void>;

export type AccountDeletion = ReturnType<typeof createAccountDeletion>;

export interface AccountDeletionOptions {
  readonly database: Database;
  readonly sessions: Sessions;
  readonly onAccountDeleted: OnAccountDeleted;
  /** Another service manages the accounts: people may continue to use one after everything stored here was deleted. */
  readonly accountsStay: boolean;
  readonly log: IdentityLog;
}

/**
 * A deletion is recorded in the transaction that deletes the account. The record is removed once the other parts have deleted their data,
 * so neither an error there nor a killed process leaves recordings of a deleted account behind.
 */
export function createAccountDeletion(options: AccountDeletionOptions) {
  const { database, sessions, onAccountDeleted, accountsStay, log } = options;

  async function note(query: Query, accountId: string, deletedAtMs: number): Promise<void> {
    // Deleted now and not in `follow`: the account may stay in use, and a retry must not delete what its owner accepts or sets later.
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
          // The account may have been deleted again meanwhile.
          .where('deletedAtMs', '=', deletedAtMs)
          .execute(),
      );
    } catch (error) {
      log.error({ err: error }, 'data of a deleted account could not be removed yet; the next clean-up will try again');
      throw error;
    }
  }

  /** `resume` deletes the rest later. */
  const unlessItFails = (following: Promise<void>): Promise<void> => following.catch(() => {});

  return {
    /**
     * Deletes an account, its sessions, codes, invitations and terms acceptances, then the data of other parts. If another service manages
     * the accounts, deletes everything stored here for one.
     *
     * @throws IdentityError USER_NOT_FOUND
     * @throws if another service manages the accounts, whatever interrupted the deletion: `resume` deletes the rest, but nothing that was
     * created since
     */
    delete: async (accountId: string): Promise<void> => {
      const deletedAtMs = Date.now();
      await database.change({ freesRoom: true }, async (query) => {
        await sessions.end(query, accountId, 'accountDeleted');
        if (!accountsStay) {
          await deleteInvitations(query, accountId);
          const { numDeletedRows } = await query.deleteFrom('accounts').where('id', '=', accountId).executeTakeFirst();
          if (numDeletedRows !== 1n) throw new IdentityError('USER_NOT_FOUND');
        }
        await note(query, accountId, deletedAtMs);
      });
      const following = follow(accountId, deletedAtMs);
      await (accountsStay ? following : unlessItFails(following));
    },
    /** Finishes deletions that failed or were interrupted. */
    resume: async (): Promise<void> => {
      const pending = await database.query.selectFrom('accountDeletions').selectAll().execute();
      for (const { accountId, deletedAtMs } of pending) {
        await unlessItFails(follow(accountId, deletedAtMs, accountsStay ? deletedAtMs : undefined));
      }
    },
  };
}
