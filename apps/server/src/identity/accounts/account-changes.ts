import type { UpdateBody } from '@chiffchaff/contract';
import type { SessionEndReason } from '../../database/tables.ts';
import { isUniqueViolation } from '../../database/unique-violation.ts';
import { voidCodes } from '../codes/one-time-codes.ts';
import { IdentityError } from '../identity-error.ts';
import { readDisplayName, readPhotoUrl } from './account-rules.ts';
import { type Account, type AccountChange, changeAccount, type Query } from './account-store.ts';
import type { Sessions } from './sessions.ts';

/**
 * Changes the password or email address of an account, ends its sessions and voids the codes sent before, except RECOVER_EMAIL.
 *
 * @throws IdentityError EMAIL_EXISTS, USER_NOT_FOUND
 */
export async function changeCredentials(
  query: Query,
  { sessions }: { readonly sessions: Sessions },
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
