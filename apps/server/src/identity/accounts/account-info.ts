import type { AccountInfo } from '@chiffchaff/contract';
import type { Account } from './account-store.ts';

type ProviderUserInfo = AccountInfo['providerUserInfo'][number];

/** Unset fields are absent, as clients expect. */
export function profileOf({ displayName, photoUrl }: Account): { displayName?: string; photoUrl?: string } {
  return { ...(displayName === null ? {} : { displayName }), ...(photoUrl === null ? {} : { photoUrl }) };
}

/** The password, the only way to sign in here. Without it, the SDK may treat the account as anonymous. */
export function providersOf(account: Account): ProviderUserInfo[] {
  const { email } = account;
  return [{ providerId: 'password', email, federatedId: email, rawId: email, ...profileOf(account) }];
}

/** An account as `accounts:lookup` returns it. The password hash never leaves the database. */
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
