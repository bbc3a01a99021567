import type { Items } from '../storage/registry.ts';

/** How the last session of this tab ended; a token that the server refuses counts as expired. */
export type SessionEnd = 'expired' | 'signedOut' | 'signedOutElsewhere';

/** The stored session: exactly four items, written and removed together. */
export interface StoredSession {
  readonly token: string;
  /** milliseconds since 1970 */
  readonly expiresAtMs: number;
  readonly username: string;
  readonly localId: string;
  /** A fifth item, only if the user asked to stay signed in on this device; else null. */
  readonly refreshToken: string | null;
}

/** Keys of the items in local storage. `tokenExpiry` is an ISO instant. */
const sessionKeys = ['token', 'tokenExpiry', 'user', 'userId', 'refreshToken'] as const;
type SessionKey = (typeof sessionKeys)[number];

export const isSessionKey = (key: string | null): boolean => sessionKeys.some((known) => known === key);

const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;

/** The stored session; null if it is missing, damaged or incomplete. */
export function readStoredSession(storage: Items<'localStorage'>): StoredSession | null {
  const item = (key: SessionKey) => storage.getItem(key) || null;
  const [token, expiry, username, localId] = [item('token'), item('tokenExpiry'), item('user'), item('userId')];
  if (token === null || expiry === null || username === null || localId === null) return null;
  const expiresAtMs = instant.test(expiry) ? Date.parse(expiry) : Number.NaN;
  if (Number.isNaN(expiresAtMs) || /\s/.test(token)) return null;
  return { token, expiresAtMs, username, localId, refreshToken: item('refreshToken') };
}

/**
 * Writes all items, the token last: other tabs receive an event for each, and without a token there is no session. Another account's token
 * is removed first, so that it never coexists with this account's name.
 *
 * @returns whether they are stored; if the browser refuses one, none is
 */
export function writeStoredSession(storage: Items<'localStorage'>, session: StoredSession): boolean {
  try {
    if (storage.getItem('userId') !== session.localId) removeStoredSession(storage);
    storage.setItem('tokenExpiry', new Date(session.expiresAtMs).toISOString());
    storage.setItem('user', session.username);
    storage.setItem('userId', session.localId);
    if (session.refreshToken === null) storage.removeItem('refreshToken');
    else storage.setItem('refreshToken', session.refreshToken);
    storage.setItem('token', session.token);
    return true;
  } catch {
    removeStoredSession(storage);
    return false;
  }
}

export function removeStoredSession(storage: Items<'localStorage'>): void {
  for (const key of sessionKeys) storage.removeItem(key);
}

/*
 * If a session ends without its owner's doing, the page says so until this is read or someone signs in. The tab keeps it across a reload.
 */
const reportedEnds = ['expired', 'signedOutElsewhere'] as const satisfies readonly SessionEnd[];

export function readSessionEnd(storage: Items<'sessionStorage'> | null): SessionEnd | null {
  const kept = storage?.getItem('sessionEnded');
  return reportedEnds.find((how) => how === kept) ?? null;
}

/** @param how null when there is nothing left to say; a user who signs out knows it */
export function writeSessionEnd(storage: Items<'sessionStorage'> | null, how: SessionEnd | null): void {
  try {
    if (reportedEnds.some((known) => known === how)) storage?.setItem('sessionEnded', String(how));
    else storage?.removeItem('sessionEnded');
  } catch {
    // Then it is shown only until a reload.
  }
}
