import type { OneTimeCodesTable, OneTimeCodeType } from '../../database/tables.ts';
import type { Account, Query } from '../accounts/account-store.ts';
import { IdentityError } from '../identity-error.ts';
import { createSecret, hashSecret } from '../secret-token.ts';

/** A code sent by mail: 256 random bits, stored hashed, valid once until it expires. */
export type OneTimeCode = Readonly<OneTimeCodesTable>;

const HOUR_MS = 3_600_000;
const ttlMs: Readonly<Record<OneTimeCodeType, number>> = {
  PASSWORD_RESET: HOUR_MS,
  VERIFY_EMAIL: 72 * HOUR_MS,
  VERIFY_AND_CHANGE_EMAIL: 24 * HOUR_MS,
  // Time to read the mail at the former address, and not much more: the former mailbox may be the compromised one.
  RECOVER_EMAIL: 7 * 24 * HOUR_MS,
};

/** Creates a code. Only its hash is stored. */
export async function createCode(
  query: Query,
  account: Account,
  requestType: OneTimeCodeType,
  newEmail: string | null = null,
): Promise<string> {
  const code = createSecret();
  const createdAtMs = Date.now();
  const times = { createdAtMs, expiresAtMs: createdAtMs + ttlMs[requestType] };
  const row = { codeHash: hashSecret(code), accountId: account.id, requestType, email: account.email, newEmail, ...times };
  await query.insertInto('oneTimeCodes').values(row).execute();
  return code;
}

/** Looks up a code without using it. @throws IdentityError INVALID_OOB_CODE, EXPIRED_OOB_CODE */
export async function checkCode(query: Query, code: string): Promise<OneTimeCode> {
  const find = query.selectFrom('oneTimeCodes').selectAll().where('codeHash', '=', hashSecret(code));
  return requireGood(await find.executeTakeFirst());
}

/** Uses up a code: of two concurrent calls, one succeeds. A rollback leaves it valid. @throws as `checkCode` */
export async function useCode(query: Query, code: string): Promise<OneTimeCode> {
  const take = query.deleteFrom('oneTimeCodes').where('codeHash', '=', hashSecret(code)).returningAll();
  return requireGood(await take.executeTakeFirst());
}

function requireGood(row: OneTimeCode | undefined): OneTimeCode {
  if (row === undefined) throw new IdentityError('INVALID_OOB_CODE');
  if (row.expiresAtMs <= Date.now()) throw new IdentityError('EXPIRED_OOB_CODE');
  return row;
}

/** Voids codes of an account: those of one type, those sent before a change of password or address, or all. */
export async function voidCodes(query: Query, accountId: string, which: OneTimeCodeType | 'outdated' | 'all'): Promise<void> {
  let codes = query.deleteFrom('oneTimeCodes').where('accountId', '=', accountId);
  // RECOVER_EMAIL, the way back to a former address, is not outdated by a change.
  if (which === 'outdated') codes = codes.where('requestType', '!=', 'RECOVER_EMAIL');
  else if (which !== 'all') codes = codes.where('requestType', '=', which);
  await codes.execute();
}

/** Deletes what expired long ago; until then it can be told from what is unknown. Rows from a clock that was ahead count as created now. */
export async function purgeExpired(query: Query, table: 'oneTimeCodes' | 'invitations', keptDays: number): Promise<void> {
  const nowMs = Date.now();
  await query
    .updateTable(table)
    .set(({ eb, ref }) => ({ expiresAtMs: eb(eb('expiresAtMs', '-', ref('createdAtMs')), '+', nowMs), createdAtMs: nowMs }))
    .where('createdAtMs', '>', nowMs)
    .execute();
  await query
    .deleteFrom(table)
    .where('expiresAtMs', '<', nowMs - keptDays * 24 * HOUR_MS)
    .execute();
}
