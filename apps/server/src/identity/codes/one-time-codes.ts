import type { OneTimeCodesTable, OneTimeCodeType } from '../../database/tables.ts';
import type { Account, Query } from '../accounts/account-store.ts';
import { IdentityError } from '../identity-error.ts';
import { createSecret, hashSecret } from '../secret-token.ts';

/** What a code is for. */
export type OneTimeCode = Readonly<Pick<OneTimeCodesTable, 'accountId' | 'requestType' | 'email' | 'newEmail'>>;

const HOUR_MS = 3_600_000;
const ttlMs: Readonly<Record<OneTimeCodeType, number>> = {
  PASSWORD_RESET: HOUR_MS,
  VERIFY_EMAIL: 72 * HOUR_MS,
  VERIFY_AND_CHANGE_EMAIL: 24 * HOUR_MS,
  // Time to read the mail at the former address, and not much more: the former mailbox may be the compromised one.
  RECOVER_EMAIL: 7 * 24 * HOUR_MS,
};

export type OneTimeCodes = ReturnType<typeof createOneTimeCodes>;

/** Codes sent by mail: 256 random bits, stored hashed, valid once until they expire. */
export function createOneTimeCodes() {
  function requireGood(row: (OneTimeCode & { readonly expiresAtMs: number }) | undefined): OneTimeCode {
    if (row === undefined) throw new IdentityError('INVALID_OOB_CODE');
    if (row.expiresAtMs <= Date.now()) throw new IdentityError('EXPIRED_OOB_CODE');
    return row;
  }

  return {
    /** Creates a code. Only its hash is stored. */
    create: async (query: Query, account: Account, requestType: OneTimeCodeType, newEmail?: string): Promise<string> => {
      const code = createSecret();
      await query
        .insertInto('oneTimeCodes')
        .values({
          codeHash: hashSecret(code),
          accountId: account.id,
          requestType,
          email: account.email,
          newEmail: newEmail ?? null,
          createdAtMs: Date.now(),
          expiresAtMs: Date.now() + ttlMs[requestType],
        })
        .execute();
      return code;
    },
    /** Looks up a code without using it. @throws IdentityError INVALID_OOB_CODE, EXPIRED_OOB_CODE */
    check: async (query: Query, code: string): Promise<OneTimeCode> => {
      const find = query.selectFrom('oneTimeCodes').selectAll().where('codeHash', '=', hashSecret(code));
      return requireGood(await find.executeTakeFirst());
    },
    /** Uses up a code: of two concurrent calls, one succeeds. A rollback leaves it valid. @throws as `check` */
    use: async (query: Query, code: string): Promise<OneTimeCode> => {
      const take = query.deleteFrom('oneTimeCodes').where('codeHash', '=', hashSecret(code)).returningAll();
      return requireGood(await take.executeTakeFirst());
    },
    voidAll: async (query: Query, accountId: string): Promise<void> => {
      await query.deleteFrom('oneTimeCodes').where('accountId', '=', accountId).execute();
    },
    /** Voids the codes sent before a change of password or address. RECOVER_EMAIL, the way back to a former address, stays valid. */
    voidOutdated: async (query: Query, accountId: string): Promise<void> => {
      const others: readonly OneTimeCodeType[] = ['PASSWORD_RESET', 'VERIFY_EMAIL', 'VERIFY_AND_CHANGE_EMAIL'];
      await query.deleteFrom('oneTimeCodes').where('accountId', '=', accountId).where('requestType', 'in', others).execute();
    },
    /** Deletes codes that expired long ago. Codes created while the clock was ahead count as created now. */
    purge: async (query: Query): Promise<void> => {
      const nowMs = Date.now();
      await query
        .updateTable('oneTimeCodes')
        .set(({ eb, ref }) => ({ expiresAtMs: eb(eb('expiresAtMs', '-', ref('createdAtMs')), '+', nowMs), createdAtMs: nowMs }))
        .where('createdAtMs', '>', nowMs)
        .execute();
      // Expired codes are kept for a week, to tell them from unknown ones.
      await query
        .deleteFrom('oneTimeCodes')
        .where('expiresAtMs', '<', nowMs - 7 * 24 * HOUR_MS)
        .execute();
    },
  };
}
