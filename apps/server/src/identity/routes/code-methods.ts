/** The methods that request emails with codes, and what codes do: `update` (account-methods.ts) applies all but those for a new password. */
import {
  resetPasswordAnswerSchema,
  resetPasswordBodySchema,
  sendOobCodeAnswerSchema,
  sendOobCodeBodySchema,
} from '@chiffchaff/contract';
import { changeCredentials } from '../accounts/account-changes.ts';
import { checkNewPassword } from '../accounts/account-rules.ts';
import { type Account, changeAccount, findAccount, type Query } from '../accounts/account-store.ts';
import { announceChange, sendCode } from '../codes/code-mails.ts';
import { checkCode, type OneTimeCode, useCode, voidCodes } from '../codes/one-time-codes.ts';
import type { AccountParts, Client } from '../embedded-parts.ts';
import { IdentityError } from '../identity-error.ts';
import type { MethodScope } from './method-routes.ts';

export function serveCodeMethods(app: MethodScope, parts: AccountParts): void {
  const sending = 'Request an email to reset a password or verify an address';
  app.post(
    '/v1/accounts::sendOobCode',
    { schema: { summary: sending, body: sendOobCodeBodySchema, response: { 200: sendOobCodeAnswerSchema } } },
    async (request) => {
      if (request.body.returnOobLink) throw new IdentityError('INSUFFICIENT_PERMISSION');
      const email = await sendCode(parts, request.body, request);
      return { kind: 'identitytoolkit#GetOobConfirmationCodeResponse' as const, email };
    },
  );

  const resetting = 'Check a code, or set a new password with it';
  app.post(
    '/v1/accounts::resetPassword',
    { schema: { summary: resetting, body: resetPasswordBodySchema, response: { 200: resetPasswordAnswerSchema } } },
    async ({ body: { oobCode, newPassword }, ip }) => {
      const { email, requestType, newEmail } = await limited(parts, ip, async () => {
        if (!oobCode) throw new IdentityError('MISSING_OOB_CODE');
        // Returns what a code is for, which the page behind the link shows. The code stays valid, also if a password is refused.
        const code = await checkCode(parts.database.query, oobCode);
        await requireAccount(parts.database.query, code);
        if (newPassword !== undefined) await resetPassword(parts, oobCode, code, newPassword);
        return code;
      });
      const kind = 'identitytoolkit#ResetPasswordResponse' as const;
      return { kind, email, requestType, ...(newEmail === null ? {} : { newEmail }) };
    },
  );
}

/** Applies VERIFY_EMAIL, VERIFY_AND_CHANGE_EMAIL or RECOVER_EMAIL. */
export async function applyCode(parts: AccountParts, oobCode: string, client: Client): Promise<Account> {
  const { account, announce } = await limited(parts, client.ip, () =>
    parts.database.change({}, (query) => apply(parts, query, oobCode, client)),
  );
  announce?.();
  return account;
}

const limited = <Result>({ limits }: AccountParts, ip: string, tryCode: () => Promise<Result>): Promise<Result> =>
  limits.tryCode(ip, ['INVALID_OOB_CODE', 'EXPIRED_OOB_CODE'], tryCode);

async function requireAccount(query: Query, { accountId }: OneTimeCode): Promise<Account> {
  const account = await findAccount(query, accountId);
  if (account === null) throw new IdentityError('INVALID_OOB_CODE');
  if (account.disabled) throw new IdentityError('USER_DISABLED');
  return account;
}

/** @returns the account, and what to call after the commit */
async function apply(parts: AccountParts, query: Query, oobCode: string, client: Client) {
  const code = await useCode(query, oobCode);
  const account = await requireAccount(query, code);
  const moveTo = (email: string) => changeCredentials(query, parts, account.id, { email, emailVerified: true }, 'emailChanged');
  switch (code.requestType) {
    case 'PASSWORD_RESET':
      throw new IdentityError('INVALID_OOB_CODE');
    case 'VERIFY_EMAIL':
      return { account: (await changeAccount(query, account.id, { emailVerified: true })) ?? account, announce: null };
    case 'VERIFY_AND_CHANGE_EMAIL': {
      const changed = await moveTo(code.newEmail ?? code.email);
      return { account: changed, announce: await announceChange(parts, query, changed, account.email, client) };
    }
    case 'RECOVER_EMAIL': {
      // Codes sent to an address that was set in between become void too.
      await voidCodes(query, account.id, 'all');
      return { account: await moveTo(code.email), announce: null };
    }
  }
}

async function resetPassword(parts: AccountParts, oobCode: string, { requestType }: OneTimeCode, password: string) {
  if (requestType !== 'PASSWORD_RESET') throw new IdentityError('INVALID_OOB_CODE');
  checkNewPassword(password);
  const passwordHash = await parts.passwords.hash(password);
  await parts.database.change({}, async (query) => {
    const account = await requireAccount(query, await useCode(query, oobCode));
    // The code proves that the current address gets the mail: a change of address would have voided the code.
    const change = { passwordHash, passwordUpdatedAtMs: Date.now(), emailVerified: true };
    await changeCredentials(query, parts, account.id, change, 'passwordChanged');
    // Void codes to a former address too: that mailbox may belong to another person by now.
    await voidCodes(query, account.id, 'all');
  });
}
