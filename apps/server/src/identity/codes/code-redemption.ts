import { changeCredentials } from '../accounts/account-changes.ts';
import type { AccountParts } from '../accounts/account-parts.ts';
import { checkNewPassword } from '../accounts/account-rules.ts';
import { type Account, changeAccount, findAccount, type Query } from '../accounts/account-store.ts';
import type { Client } from '../accounts/sign-in.ts';
import { IdentityError } from '../identity-error.ts';
import type { CodeMails } from './code-mails.ts';
import { checkCode, type OneTimeCode, useCode, voidCodes } from './one-time-codes.ts';

/** Checks and applies one-time codes. Every refusal is an IdentityError from the contract's catalogue. */
export function createCodeRedemption(options: AccountParts & { readonly codeMails: CodeMails }) {
  const { database, passwords, codeMails, limits } = options;

  const limited = <Result>({ address }: Client, tryCode: () => Promise<Result>): Promise<Result> =>
    limits.tryCode(address, ['INVALID_OOB_CODE', 'EXPIRED_OOB_CODE'], tryCode);

  async function requireAccount(query: Query, { accountId }: OneTimeCode): Promise<Account> {
    const account = await findAccount(query, accountId);
    if (account === null) throw new IdentityError('INVALID_OOB_CODE');
    if (account.disabled) throw new IdentityError('USER_DISABLED');
    return account;
  }

  async function check(oobCode: string | undefined): Promise<OneTimeCode> {
    if (!oobCode) throw new IdentityError('MISSING_OOB_CODE');
    const code = await checkCode(database.query, oobCode);
    await requireAccount(database.query, code);
    return code;
  }

  /** @returns the account, and what to call after the commit */
  async function applyCode(query: Query, oobCode: string, client: Client) {
    const code = await useCode(query, oobCode);
    const account = await requireAccount(query, code);
    const moveTo = (email: string) =>
      changeCredentials(query, options, account.id, { email, emailVerified: true }, 'emailChanged');
    switch (code.requestType) {
      case 'PASSWORD_RESET':
        throw new IdentityError('INVALID_OOB_CODE');
      case 'VERIFY_EMAIL':
        return { account: (await changeAccount(query, account.id, { emailVerified: true })) ?? account, announce: null };
      case 'VERIFY_AND_CHANGE_EMAIL': {
        const changed = await moveTo(code.newEmail ?? code.email);
        return { account: changed, announce: await codeMails.announceChange(query, changed, account.email, client) };
      }
      case 'RECOVER_EMAIL': {
        // Codes sent to an address that was set in between become void too.
        await voidCodes(query, account.id, 'all');
        return { account: await moveTo(code.email), announce: null };
      }
    }
  }

  async function resetPassword(oobCode: string | undefined, newPassword: string): Promise<OneTimeCode> {
    const code = await check(oobCode);
    if (code.requestType !== 'PASSWORD_RESET') throw new IdentityError('INVALID_OOB_CODE');
    checkNewPassword(newPassword);
    const passwordHash = await passwords.hash(newPassword);
    return database.change({}, async (query) => {
      const used = await useCode(query, oobCode ?? '');
      const account = await requireAccount(query, used);
      // The code proves that the current address gets the mail: a change of address would have voided the code.
      const change = { passwordHash, passwordUpdatedAtMs: Date.now(), emailVerified: true };
      await changeCredentials(query, options, account.id, change, 'passwordChanged');
      // Void codes to a former address too: that mailbox may belong to another person by now.
      await voidCodes(query, account.id, 'all');
      return used;
    });
  }

  return {
    /** Returns what a code is for, which the page behind the link shows. The code stays valid. */
    check: (oobCode: string | undefined, client: Client): Promise<OneTimeCode> => limited(client, () => check(oobCode)),
    /** Sets a new password and uses up the code. A refused password leaves the code valid. */
    resetPassword: (oobCode: string | undefined, newPassword: string, client: Client): Promise<OneTimeCode> =>
      limited(client, () => resetPassword(oobCode, newPassword)),
    /** Applies VERIFY_EMAIL, VERIFY_AND_CHANGE_EMAIL or RECOVER_EMAIL. */
    apply: (oobCode: string, client: Client): Promise<Account> =>
      limited(client, async () => {
        const { account, announce } = await database.change({}, (query) => applyCode(query, oobCode, client));
        announce?.();
        return account;
      }),
  };
}
