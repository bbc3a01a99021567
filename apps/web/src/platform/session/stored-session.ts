import type { SessionEnd } from './create-auth-session.ts';

/** What the browser keeps of a session: exactly four items, written and removed together. */
export interface StoredSession {
  readonly token: string;
  /** milliseconds since 1970 */
  readonly expiresAtMs: number;
  readonly user: string;
  readonly userId: string;
  /** A fifth item, only where the person asked to be kept signed in on this device; else null. */
  readonly refreshToken: string | null;
}

/** The items' keys in local storage. `tokenExpiry` is an ISO instant. */
const sessionKeys = ['token', 'tokenExpiry', 'user', 'userId', 'refreshToken'] as const;
type SessionKey = (typeof sessionKeys)[number];

export const isSessionKey = (key: string | null): boolean => sessionKeys.some((known) => known === key);

const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;

export type ItemStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

/** The kept session; null when there is none, and when it is damaged or only part of one. */
export function readStoredSession(storage: ItemStorage): StoredSession | null {
  const item = (key: SessionKey) => storage.getItem(key) || null;
  const [token, expiry, user, userId] = [item('token'), item('tokenExpiry'), item('user'), item('userId')];
  if (token === null || expiry === null || user === null || userId === null) return null;
  const expiresAtMs = instant.test(expiry) ? Date.parse(expiry) : Number.NaN;
  if (Number.isNaN(expiresAtMs) || /\s/.test(token)) return null;
  return { token, expiresAtMs, user, userId, refreshToken: item('refreshToken') };
}

/**
 * Writes all items, the token last: other tabs hear of each by itself, and without a token there is no session. Another account's token goes
 * first, so that it never stands beside this account's name. @returns whether they are kept; where the browser refuses, none is
 */
export function writeStoredSession(storage: ItemStorage, session: StoredSession): boolean {
  try {
    if (storage.getItem('userId') !== session.userId) removeStoredSession(storage);
    storage.setItem('tokenExpiry', new Date(session.expiresAtMs).toISOString());
    storage.setItem('user', session.user);
    storage.setItem('userId', session.userId);
    if (session.refreshToken === null) storage.removeItem('refreshToken');
    else storage.setItem('refreshToken', session.refreshToken);
    storage.setItem('token', session.token);
    return true;
  } catch {
    removeStoredSession(storage);
    return false;
  }
}

export function removeStoredSession(storage: ItemStorage): void {
  for (const key of sessionKeys) storage.removeItem(key);
}

export function findStorage(name: 'localStorage' | 'sessionStorage'): ItemStorage | null {
  try {
    window[name].getItem('token');
    return window[name];
  } catch {
    return null;
  }
}

/* A session that ended without its owner's doing is told until that is read or followed by a sign-in: the tab keeps it over a reload. */
const SESSION_ENDED = 'sessionEnded';
const told = ['expired', 'signedOutElsewhere'] as const satisfies readonly SessionEnd[];

export function readSessionEnd(storage: ItemStorage | null): SessionEnd | null {
  const kept = storage?.getItem(SESSION_ENDED);
  return told.find((how) => how === kept) ?? null;
}

/** @param how null when there is nothing to say any more; who signed out knows */
export function writeSessionEnd(storage: ItemStorage | null, how: SessionEnd | null): void {
  try {
    if (told.some((known) => known === how)) storage?.setItem(SESSION_ENDED, String(how));
    else storage?.removeItem(SESSION_ENDED);
  } catch {
    // Then it is said as long as the page lives.
  }
}
