import type { UpdateBody } from '@chiffchaff/contract';
import type { SessionEndReason } from '../../database/tables.ts';
import { isUniqueViolation } from '../../database/unique-violation.ts';
import type { CodeMails } from '../codes/code-mails.ts';
import { voidCodes } from '../codes/one-time-codes.ts';
import { IdentityError } from '../identity-error.ts';
import type { AccountDeletion } from './account-deletion.ts';
import type { AccountParts } from './account-parts.ts';
import { checkNewPassword, readDisplayName, readEmail, readPhotoUrl, requireRecentSignIn } from './account-rules.ts';
import { type Account, type AccountChange, changeAccount, type Query } from './account-store.ts';
import type { Client, IssuedTokens } from './sign-in.ts';

export interface Updated {
  readonly account: Account;
  readonly newEmail: string | null;
  /** null if the old ones are still valid */
  readonly tokens: IssuedTokens | null;
}

/** Changes that the holder of an ID token can make to the account. Every refusal is an IdentityError from the contract's catalogue. */
export function createAccountChanges(
  options: AccountParts & { readonly deletion: AccountDeletion } & Pick<CodeMails, 'announceChange'>,
) {
  const { database, passwords, sessions, idTokens, access } = options;

  function readNewEmail(request: UpdateBody, account: Account): string | null {
    if (request.email === undefined) return null;
    const email = readEmail(request.email);
    if (email === account.email) return null;
    if (options.enumerationProtection) {
      throw new IdentityError('OPERATION_NOT_ALLOWED', 'Please verify the new email before changing email.');
    }
    return email;
  }

  return {
    update: async (request: UpdateBody, client: Client): Promise<Updated> => {
      const { account, session } = await access.verify(request.idToken);
      const profile = readProfileChange(request);
      const newEmail = readNewEmail(request, account);
      const { password } = request;
      if (password !== undefined) checkNewPassword(password);
      if (newEmail === null && password === undefined) {
        const changed = await database.change({}, (query) => changeAccount(query, account.id, profile));
        if (changed === null) throw new IdentityError('USER_NOT_FOUND');
        return { account: changed, newEmail: null, tokens: null };
      }
      requireRecentSignIn(session.authTimeSeconds, Date.now());
      const passwordHash = password === undefined ? null : await passwords.hash(password);
      const change: AccountChange = {
        ...profile,
        ...(passwordHash === null ? {} : { passwordHash, passwordUpdatedAtMs: Date.now() }),
        ...(newEmail === null ? {} : { email: newEmail, emailVerified: false }),
      };
      const opened = await database.change({}, async (query) => {
        if (!(await sessions.isOpen(query, session.id, account.id))) throw new IdentityError('TOKEN_EXPIRED');
        const reason = passwordHash === null ? 'emailChanged' : 'passwordChanged';
        const changed = await changeCredentials(query, options, account.id, change, reason);
        const announce = newEmail === null ? null : await options.announceChange(query, changed, account.email, client);
        return { account: changed, announce, ...(await sessions.open(query, account.id, client.userAgent)) };
      });
      opened.announce?.();
      const idToken = await idTokens.issue(opened.account, opened.session);
      const tokens = { idToken, refreshToken: opened.refreshToken, expiresIn: String(idTokens.ttlSeconds) };
      return { account: opened.account, newEmail, tokens };
    },

    delete: async (idToken: string | undefined): Promise<void> => {
      const { account, session } = await access.verify(idToken);
      requireRecentSignIn(session.authTimeSeconds, Date.now());
      await options.deletion.delete(account.id);
    },
  };
}

/**
 * Changes the password or email address of an account, ends its sessions and voids the codes sent before, except RECOVER_EMAIL.
 *
 * @throws IdentityError EMAIL_EXISTS, USER_NOT_FOUND
 */
export async function changeCredentials(
  query: Query,
  { sessions }: Pick<AccountParts, 'sessions'>,
  accountId: string,
  change: AccountChange,
  reason: SessionEndReason,
): Promise<Account> {
  try {
    const account = await changeAccount(query, accountId, { ...change, validSinceSeconds: Math.floor(Date.now() / 1000) });
    if (account === null) throw new IdentityError('USER_NOT_FOUND');
    await sessions.end(query, accountId, reason);
    await voidCodes(query, accountId, 'outdated');
    return account;
  } catch (error) {
    throw isUniqueViolation(error) ? new IdentityError('EMAIL_EXISTS') : error;
  }
}

/** @throws IdentityError OPERATION_NOT_ALLOWED, INVALID_DISPLAY_NAME, INVALID_PHOTO_URL */
export function readProfileChange(request: Partial<UpdateBody>): AccountChange {
  const { displayName, photoUrl, deleteAttribute = [], deleteProvider = [] } = request;
  if (deleteProvider.length > 0) {
    throw new IdentityError('OPERATION_NOT_ALLOWED', 'The password is the only way to sign in to this account.');
  }
  if (deleteAttribute.some((name) => name !== 'DISPLAY_NAME' && name !== 'PHOTO_URL')) {
    throw new IdentityError('OPERATION_NOT_ALLOWED', 'Only the display name and the photo URL can be removed.');
  }
  return {
    ...(displayName === undefined ? {} : { displayName: readDisplayName(displayName) }),
    ...(photoUrl === undefined ? {} : { photoUrl: readPhotoUrl(photoUrl) }),
    ...(deleteAttribute.includes('DISPLAY_NAME') ? { displayName: null } : {}),
    ...(deleteAttribute.includes('PHOTO_URL') ? { photoUrl: null } : {}),
  };
}
