import type { ExpressionBuilder, Selectable } from 'kysely';
import type { InvitationsTable, Tables } from '../database/tables.ts';
import type { Account, Query } from './accounts/account-store.ts';
import { IdentityError } from './identity-error.ts';
import { createSecret, hashSecret } from './secret-token.ts';

export type Invitation = Selectable<InvitationsTable>;

export const INVITATION_DAYS = 14;
const DAY_MS = 86_400_000;

/**
 * Invites an address to create an account: with 256 random bits, stored hashed, valid once and 14 days. Replaces an earlier unused
 * invitation.
 *
 * @param email in lower case
 * @returns the code, which is not stored
 */
export async function createInvitation(query: Query, email: string) {
  await revokeInvitation(query, email);
  const code = createSecret();
  const createdAtMs = Date.now();
  const expiresAtMs = createdAtMs + INVITATION_DAYS * DAY_MS;
  const row = { codeHash: hashSecret(code), email, createdAtMs, expiresAtMs, usedAtMs: null, accountId: null };
  await query.insertInto('invitations').values(row).execute();
  return { code, expiresAtMs };
}

/**
 * Checks that an address may use a code, without using it.
 *
 * @param email in lower case
 * @throws IdentityError INVALID_INVITATION (unknown or revoked), USED_INVITATION, EXPIRED_INVITATION, INVITATION_FOR_ANOTHER_ADDRESS
 */
export async function checkInvitation(query: Query, code: string, email: string): Promise<void> {
  const find = query.selectFrom('invitations').selectAll().where('codeHash', '=', hashSecret(code));
  const row = await find.executeTakeFirst();
  if (row === undefined) throw new IdentityError('INVALID_INVITATION');
  if (row.usedAtMs !== null) throw new IdentityError('USED_INVITATION');
  if (row.expiresAtMs <= Date.now()) throw new IdentityError('EXPIRED_INVITATION');
  if (row.email !== email) throw new IdentityError('INVITATION_FOR_ANOTHER_ADDRESS');
}

/** Uses up a code for an account: of two concurrent calls, one succeeds. A rollback leaves it valid. @throws as `checkInvitation` */
export async function useInvitation(query: Query, code: string, account: Account): Promise<void> {
  await checkInvitation(query, code, account.email);
  const { numUpdatedRows } = await query
    .updateTable('invitations')
    .set({ usedAtMs: Date.now(), accountId: account.id })
    .where('codeHash', '=', hashSecret(code))
    .where('usedAtMs', 'is', null)
    .executeTakeFirst();
  if (numUpdatedRows !== 1n) throw new IdentityError('USED_INVITATION');
}

/** Newest first, used and expired ones included. */
export const listInvitations = (query: Query): Promise<readonly Invitation[]> =>
  query.selectFrom('invitations').selectAll().orderBy('createdAtMs', 'desc').orderBy('email').execute();

/** Deletes the unused invitation of an address. @param email in lower case @returns whether there was one */
export async function revokeInvitation(query: Query, email: string): Promise<boolean> {
  const open = query.deleteFrom('invitations').where('email', '=', email).where('usedAtMs', 'is', null);
  return (await open.executeTakeFirst()).numDeletedRows > 0n;
}

/** All stored invitations of an account: the one that it was created with, and those to its address. */
const ofAccount = (accountId: string) => (eb: ExpressionBuilder<Tables, 'invitations'>) =>
  eb.or([
    eb('accountId', '=', accountId),
    eb('email', 'in', eb.selectFrom('accounts').select('email').where('id', '=', accountId)),
  ]);

export const listInvitationsOf = (query: Query, accountId: string): Promise<readonly Invitation[]> =>
  query.selectFrom('invitations').selectAll().where(ofAccount(accountId)).orderBy('createdAtMs').execute();

/** Deletes what `listInvitationsOf` lists. Call it before the account is deleted. */
export async function deleteInvitations(query: Query, accountId: string): Promise<void> {
  await query.deleteFrom('invitations').where(ofAccount(accountId)).execute();
}

const timeOf = (ms: number): string => new Date(ms).toISOString();

/** An invitation as exports and lists show it. */
export const describeInvitation = ({ email, createdAtMs, expiresAtMs, usedAtMs }: Invitation) => ({
  email,
  createdAt: timeOf(createdAtMs),
  expiresAt: timeOf(expiresAtMs),
  usedAt: usedAtMs === null ? null : timeOf(usedAtMs),
});
