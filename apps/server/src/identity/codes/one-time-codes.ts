import type { OneTimeCodeType } from '../../database/tables/identity-tables.ts';
import type { Account, Query } from '../accounts/account-store.ts';
import { IdentityError } from '../identity-error.ts';
import { createSecret, hashSecret } from '../secret-token.ts';

/** What a code stands for. */
export interface OneTimeCode {
  readonly accountId: string;
  readonly requestType: OneTimeCodeType;
  /** the account's address when the code was made; for RECOVER_EMAIL the one to go back to */
  readonly email: string;
  /** for VERIFY_AND_CHANGE_EMAIL the address to change to; for RECOVER_EMAIL the one to come back from */
  readonly newEmail: string | null;
}

const HOUR_MS = 3_600_000;
const ttlMs: Readonly<Record<OneTimeCodeType, number>> = {
  PASSWORD_RESET: HOUR_MS,
  VERIFY_EMAIL: 72 * HOUR_MS,
  VERIFY_AND_CHANGE_EMAIL: 24 * HOUR_MS,
  // Time to read the mail at the former address, and not much more: the former mailbox may be the compromised one.
  RECOVER_EMAIL: 7 * 24 * HOUR_MS,
};

export interface OneTimeCodes {
  /** Makes a code. Only its hash is stored. */
  create(query: Query, account: Account, requestType: OneTimeCodeType, newEmail?: string): Promise<string>;
  /** What a code stands for, without using it. @throws IdentityError INVALID_OOB_CODE, EXPIRED_OOB_CODE */
  check(query: Query, code: string): Promise<OneTimeCode>;
  /** Uses a code up: of two that try, one succeeds. A transaction that is rolled back leaves it good. @throws IdentityError INVALID_OOB_CODE, EXPIRED_OOB_CODE */
  use(query: Query, code: string): Promise<OneTimeCode>;
  /** Voids what was sent to an account before its password or address changed. The way back to a former address stays open. */
  voidOutdated(query: Query, accountId: string): Promise<void>;
  /** Voids every code of an account. */
  voidAll(query: Query, accountId: string): Promise<void>;
  /** Forgets codes that expired long ago. The time of those that were made while the clock was ahead counts from now. */
  purge(query: Query): Promise<void>;
}

/** Codes that are sent by mail: 256 random bits, stored hashed, good for one use within their time. */
export function createOneTimeCodes({ now }: { readonly now: () => number }): OneTimeCodes {
  function requireGood(row: (OneTimeCode & { readonly expiresAtMs: number }) | undefined): OneTimeCode {
    if (row === undefined) throw new IdentityError('INVALID_OOB_CODE');
    if (row.expiresAtMs <= now()) throw new IdentityError('EXPIRED_OOB_CODE');
    return row;
  }

  return {
    create: async (query, account, requestType, newEmail) => {
      const code = createSecret();
      await query
        .insertInto('oneTimeCodes')
        .values({
          codeHash: hashSecret(code),
          accountId: account.id,
          requestType,
          email: account.email,
          newEmail: newEmail ?? null,
          createdAtMs: now(),
          expiresAtMs: now() + ttlMs[requestType],
        })
        .execute();
      return code;
    },
    check: async (query, code) => {
      const find = query.selectFrom('oneTimeCodes').selectAll().where('codeHash', '=', hashSecret(code));
      return requireGood(await find.executeTakeFirst());
    },
    use: async (query, code) => {
      const take = query.deleteFrom('oneTimeCodes').where('codeHash', '=', hashSecret(code)).returningAll();
      return requireGood(await take.executeTakeFirst());
    },
    voidAll: async (query, accountId) => {
      await query.deleteFrom('oneTimeCodes').where('accountId', '=', accountId).execute();
    },
    voidOutdated: async (query, accountId) => {
      const others: readonly OneTimeCodeType[] = ['PASSWORD_RESET', 'VERIFY_EMAIL', 'VERIFY_AND_CHANGE_EMAIL'];
      await query.deleteFrom('oneTimeCodes').where('accountId', '=', accountId).where('requestType', 'in', others).execute();
    },
    purge: async (query) => {
      const nowMs = now();
      await query
        .updateTable('oneTimeCodes')
        .set(({ eb, ref }) => ({ expiresAtMs: eb(eb('expiresAtMs', '-', ref('createdAtMs')), '+', nowMs), createdAtMs: nowMs }))
        .where('createdAtMs', '>', nowMs)
        .execute();
      // Expired ones are remembered for a week, to be told from unknown ones.
      await query
        .deleteFrom('oneTimeCodes')
        .where('expiresAtMs', '<', nowMs - 7 * 24 * HOUR_MS)
        .execute();
    },
  };
}
