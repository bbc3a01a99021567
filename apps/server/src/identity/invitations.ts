import type { Selectable } from 'kysely';
import type { InvitationsTable } from '../database/tables.ts';
import type { Account, Query } from './accounts/account-store.ts';
import { IdentityError } from './identity-error.ts';
import { createSecret, hashSecret } from './secret-token.ts';

export type Invitation = Selectable<InvitationsTable>;
export type Invitations = ReturnType<typeof createInvitations>;

export const INVITATION_DAYS = 14;
const DAY_MS = 86_400_000;
/** Used and expired invitations are kept this long after they expire, to tell them from unknown ones. */
const REMEMBERED_DAYS = 16;

/** Invitations to create an account: 256 random bits, stored hashed, valid once, for one address and 14 days. */
export function createInvitations() {
  function requireGood(row: Invitation | undefined, email: string): void {
    if (row === undefined) throw new IdentityError('INVALID_INVITATION');
    if (row.usedAtMs !== null) throw new IdentityError('USED_INVITATION');
    if (row.expiresAtMs <= Date.now()) throw new IdentityError('EXPIRED_INVITATION');
    if (row.email !== email) throw new IdentityError('INVITATION_FOR_ANOTHER_ADDRESS');
  }

  async function check(query: Query, code: string, email: string): Promise<void> {
    const find = query.selectFrom('invitations').selectAll().where('codeHash', '=', hashSecret(code));
    requireGood(await find.executeTakeFirst(), email);
  }

  return {
    /** Invites an address. Replaces an earlier unused invitation. @param email in lower case @returns the code, which is not stored */
    create: async (query: Query, email: string): Promise<{ readonly code: string; readonly expiresAtMs: number }> => {
      await revokeInvitation(query, email);
      const code = createSecret();
      const expiresAtMs = Date.now() + INVITATION_DAYS * DAY_MS;
      const row = { codeHash: hashSecret(code), email, createdAtMs: Date.now(), expiresAtMs, usedAtMs: null, accountId: null };
      await query.insertInto('invitations').values(row).execute();
      return { code, expiresAtMs };
    },
    /**
     * Checks that an address may use a code, without using it.
     *
     * @param email in lower case
     * @throws IdentityError INVALID_INVITATION (unknown or revoked), USED_INVITATION, EXPIRED_INVITATION, INVITATION_FOR_ANOTHER_ADDRESS
     */
    check,
    /** Uses up a code for an account: of two concurrent calls, one succeeds. A rollback leaves it valid. @throws as `check` */
    use: async (query: Query, code: string, account: Account): Promise<void> => {
      await check(query, code, account.email);
      const { numUpdatedRows } = await query
        .updateTable('invitations')
        .set({ usedAtMs: Date.now(), accountId: account.id })
        .where('codeHash', '=', hashSecret(code))
        .where('usedAtMs', 'is', null)
        .executeTakeFirst();
      if (numUpdatedRows !== 1n) throw new IdentityError('USED_INVITATION');
    },
    /** Deletes invitations that expired long ago. Those created while the clock was ahead count as created now. */
    purge: async (query: Query): Promise<void> => {
      const nowMs = Date.now();
      await query
        .updateTable('invitations')
        .set({ createdAtMs: nowMs, expiresAtMs: nowMs + INVITATION_DAYS * DAY_MS })
        .where('createdAtMs', '>', nowMs)
        .execute();
      await query
        .deleteFrom('invitations')
        .where('expiresAtMs', '<', nowMs - REMEMBERED_DAYS * DAY_MS)
        .execute();
    },
  };
}

/** Newest first, used and expired ones included. */
export const listInvitations = (query: Query): Promise<readonly Invitation[]> =>
  query.selectFrom('invitations').selectAll().orderBy('createdAtMs', 'desc').orderBy('email').execute();

/** Deletes the unused invitation of an address. @param email in lower case @returns whether there was one */
export async function revokeInvitation(query: Query, email: string): Promise<boolean> {
  const open = query.deleteFrom('invitations').where('email', '=', email).where('usedAtMs', 'is', null);
  return (await open.executeTakeFirst()).numDeletedRows > 0n;
}

const addressOf = (query: Query, accountId: string) => query.selectFrom('accounts').select('email').where('id', '=', accountId);

/** All stored invitations of an account: the one that it was created with, and those to its address. */
export const listInvitationsOf = (query: Query, accountId: string): Promise<readonly Invitation[]> =>
  query
    .selectFrom('invitations')
    .selectAll()
    .where(({ eb, or }) => or([eb('accountId', '=', accountId), eb('email', 'in', addressOf(query, accountId))]))
    .orderBy('createdAtMs')
    .execute();

/** Deletes what `listInvitationsOf` lists. Call it before the account is deleted. */
export async function deleteInvitations(query: Query, accountId: string): Promise<void> {
  await query
    .deleteFrom('invitations')
    .where(({ eb, or }) => or([eb('accountId', '=', accountId), eb('email', 'in', addressOf(query, accountId))]))
    .execute();
}

const timeOf = (ms: number): string => new Date(ms).toISOString();

/** An invitation as exports and lists show it. */
export const describeInvitation = ({ email, createdAtMs, expiresAtMs, usedAtMs }: Invitation) => ({
  email,
  createdAt: timeOf(createdAtMs),
  expiresAt: timeOf(expiresAtMs),
  usedAt: usedAtMs === null ? null : timeOf(usedAtMs),
});
