import { describe, expect, it } from 'vitest';
import { type AuthAction, type AuthState, reduceAuth, signedOut } from './auth-state.ts';

const signedIn: AuthState = {
  token: 'id token',
  refreshToken: 'refresh token',
  loading: false,
  localId: 'u1',
  error: null,
  username: 'ada@example.org',
};
const starting: AuthState = { ...signedOut, loading: true, username: 'ada@example.org' };
const failed: AuthState = { ...signedOut, error: 'EMAIL_EXISTS', username: 'ada@example.org' };

/** One row for each sentence of the specification’s section 4, then those of renewing. */
const rows: readonly { readonly fact: string; from: AuthState; action: AuthAction; to: AuthState }[] = [
  {
    fact: 'start clears token, refresh token and local id, sets the user name, turns loading on',
    from: { ...signedIn, username: 'eva@example.org' },
    action: { type: 'start', username: 'ada@example.org' },
    to: starting,
  },
  {
    fact: 'start clears the error',
    from: failed,
    action: { type: 'start', username: 'ada@example.org' },
    to: starting,
  },
  {
    fact: 'success stores token, user name, refresh token and local id, and turns loading off',
    from: starting,
    action: {
      type: 'success',
      token: 'id token',
      refreshToken: 'refresh token',
      localId: 'u1',
      username: 'ada@example.org',
    },
    to: signedIn,
  },
  {
    fact: 'failure clears the credentials, turns loading off and stores the error as it came',
    from: { ...signedIn, loading: true },
    action: { type: 'failure', error: 'WEAK_PASSWORD : Password should be at least 6 characters' },
    to: {
      ...signedOut,
      error: 'WEAK_PASSWORD : Password should be at least 6 characters',
      username: 'ada@example.org',
    },
  },
  {
    fact: 'logout clears token, refresh token and loading, and all else of the account',
    from: { ...signedIn, loading: true, error: 'TOKEN_EXPIRED' },
    action: { type: 'logout' },
    to: signedOut,
  },
  {
    fact: 'restore takes token, user and user id from the browser, without a refresh token',
    from: signedOut,
    action: { type: 'restore', token: 'id token', refreshToken: null, localId: 'u1', username: 'ada@example.org' },
    to: { ...signedIn, refreshToken: null },
  },
  {
    fact: 'restore takes the refresh token of those who asked to be kept signed in',
    from: failed,
    action: { type: 'restore', token: 'id token', refreshToken: 'refresh token', localId: 'u1', username: 'ada@example.org' },
    to: signedIn,
  },
  {
    fact: 'renewing keeps the credentials while it lasts',
    from: { ...signedIn, error: 'Network Error' },
    action: { type: 'renewStart' },
    to: { ...signedIn, loading: true },
  },
  {
    fact: 'a renewal changes the tokens and nothing else',
    from: { ...signedIn, loading: true },
    action: { type: 'renewed', token: 'second token', refreshToken: 'second refresh token' },
    to: { ...signedIn, token: 'second token', refreshToken: 'second refresh token' },
  },
  {
    fact: 'a renewal that fails leaves the token',
    from: { ...signedIn, loading: true },
    action: { type: 'renewFailure', error: 'Network Error', refreshToken: 'refresh token' },
    to: { ...signedIn, error: 'Network Error' },
  },
  {
    fact: 'a renewal that is refused leaves the token, and no refresh token',
    from: { ...signedIn, loading: true },
    action: { type: 'renewFailure', error: 'TOKEN_EXPIRED', refreshToken: null },
    to: { ...signedIn, refreshToken: null, error: 'TOKEN_EXPIRED' },
  },
  {
    fact: 'a renewal that comes after signing out changes nothing',
    from: signedOut,
    action: { type: 'renewed', token: 'second token', refreshToken: null },
    to: signedOut,
  },
  {
    fact: 'renewing does not begin for those who are signed out',
    from: signedOut,
    action: { type: 'renewStart' },
    to: signedOut,
  },
  {
    fact: 'a renewal that fails after signing out changes nothing',
    from: signedOut,
    action: { type: 'renewFailure', error: 'Network Error', refreshToken: 'refresh token' },
    to: signedOut,
  },
];

describe('The state of the session on the page', () => {
  it.each(rows)('$fact', ({ from, action, to }) => {
    expect(reduceAuth(from, action)).toEqual(to);
  });
});
