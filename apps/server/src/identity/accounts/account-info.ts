import type { AccountInfo } from '@chiffchaff/contract';
import type { Account } from './account-store.ts';

type ProviderUserInfo = AccountInfo['providerUserInfo'][number];

/** Unset fields are absent, as clients expect. */
export function profileOf({ displayName, photoUrl }: Account): { displayName?: string; photoUrl?: string } {
  return { ...(displayName === null ? {} : { displayName }), ...(photoUrl === null ? {} : { photoUrl }) };
}

/** The one way into an account here. Without it, the SDK may take the account for anonymous. */
export function providersOf(account: Account): ProviderUserInfo[] {
  const { email } = account;
  return [{ providerId: 'password', email, federatedId: email, rawId: email, ...profileOf(account) }];
}

/** An account as `accounts:lookup` tells it. The password hash never leaves the database. */
export function accountInfoOf(account: Account): AccountInfo {
  return {
    localId: account.id,
    email: account.email,
    emailVerified: account.emailVerified,
    ...profileOf(account),
    disabled: account.disabled,
    createdAt: String(account.createdAtMs),
    lastLoginAt: String(account.lastLoginAtMs),
    validSince: String(account.validSinceSeconds),
    ...(account.lastRefreshAtMs === null ? {} : { lastRefreshAt: new Date(account.lastRefreshAtMs).toISOString() }),
    passwordUpdatedAt: account.passwordUpdatedAtMs,
    providerUserInfo: providersOf(account),
  };
}
