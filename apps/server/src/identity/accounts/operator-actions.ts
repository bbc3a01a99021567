import type { ChangeAccountBody, CreateAccountBody } from '@chiffchaff/contract';
import type { AccountParts } from '../embedded-parts.ts';
import { IdentityError } from '../identity-error.ts';
import { changeCredentials, readProfileChange } from './account-changes.ts';
import { disableAccount } from './account-ending.ts';
import { checkNewPassword, readCustomClaims, readDisplayName, readEmail, readPhotoUrl } from './account-rules.ts';
import {
  type Account,
  type AccountChange,
  changeAccount,
  findAccount,
  findAccountByEmail,
  insertAccount,
  listAccounts,
  newAccount,
} from './account-store.ts';

/** Account operations for operators. Every refusal is an IdentityError from the contract's catalogue. */
export function createOperatorActions(parts: AccountParts) {
  const { database, passwords, sessions, deletion, ending } = parts;

  return {
    create: async (request: CreateAccountBody): Promise<Account> => {
      const { localId, email, password, displayName = '', photoUrl = '', emailVerified = false, disabled = false } = request;
      if (!email) throw new IdentityError('MISSING_EMAIL');
      if (!password) throw new IdentityError('MISSING_PASSWORD');
      if (localId !== undefined && !/^[A-Za-z0-9_-]{1,128}$/.test(localId)) throw new IdentityError('INVALID_LOCAL_ID');
      checkNewPassword(password);
      const given = { id: localId, email: readEmail(email), displayName: readDisplayName(displayName), nowMs: Date.now() };
      const other = { photoUrl: readPhotoUrl(photoUrl), emailVerified, disabled };
      const account = { ...newAccount({ ...given, passwordHash: await passwords.hash(password) }), ...other };
      if (await database.change({}, (query) => insertAccount(query, account))) return account;
      throw new IdentityError((await findAccount(database.query, account.id)) === null ? 'EMAIL_EXISTS' : 'DUPLICATE_LOCAL_ID');
    },

    find: async (ids: readonly string[], emails: readonly string[]): Promise<readonly Account[]> => {
      const byId = await Promise.all(ids.map((id) => findAccount(database.query, id)));
      const byEmail = await Promise.all(emails.map((email) => findAccountByEmail(database.query, email.toLowerCase())));
      const found = [...byId, ...byEmail].filter((account) => account !== null);
      return [...new Map(found.map((account) => [account.id, account])).values()];
    },

    list: (afterId: string, limit: number) => listAccounts(database.query, afterId, limit),

    change: async (request: ChangeAccountBody): Promise<Account> => {
      const { localId, email, password, emailVerified, disableUser, customAttributes, validSince } = request;
      if (!localId) throw new IdentityError('MISSING_LOCAL_ID');
      if (password !== undefined) checkNewPassword(password);
      const change: AccountChange = {
        ...readProfileChange(request),
        ...(email === undefined ? {} : { email: readEmail(email), emailVerified: emailVerified ?? false }),
        ...(emailVerified === undefined ? {} : { emailVerified }),
        ...(disableUser === undefined ? {} : { disabled: disableUser }),
        ...(customAttributes === undefined ? {} : { customAttributes: readCustomClaims(customAttributes) }),
        ...(password === undefined ? {} : { passwordHash: await passwords.hash(password), passwordUpdatedAtMs: Date.now() }),
      };
      const account = await database.change({}, async (query) => {
        const reason = password === undefined ? 'emailChanged' : 'passwordChanged';
        const isGuarded = password !== undefined || email !== undefined;
        const changed = isGuarded
          ? await changeCredentials(query, parts, localId, change, reason)
          : await changeAccount(query, localId, change);
        if (changed === null) throw new IdentityError('USER_NOT_FOUND');
        if (disableUser) await disableAccount(database, query, localId, Date.now());
        if (validSince === undefined) return changed;
        await sessions.end(query, localId, 'revoked');
        return (await changeAccount(query, localId, { validSinceSeconds: readSeconds(validSince) })) ?? changed;
      });
      if (disableUser) await ending.follow(localId);
      return account;
    },

    delete: async (localId: string | undefined): Promise<void> => {
      if (!localId) throw new IdentityError('MISSING_LOCAL_ID');
      await deletion.delete(localId);
    },
  };
}

function readSeconds(text: string | number): number {
  const seconds = Number(text);
  if (!Number.isSafeInteger(seconds) || seconds < 0)
    throw new IdentityError('INVALID_REQ_TYPE', 'validSince must be a whole number of seconds');
  return seconds;
}
