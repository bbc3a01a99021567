import type { Store } from '../browser/store.ts';
import type { IdentityFailure } from '../identity/identity-failure.ts';
import type { AuthState } from './auth-state.ts';
import type { ItemStorage } from './stored-session.ts';

/** So long before a session ends, a notice says so. */
export const noticeBeforeExpiryMs = 120_000;

/** What the identity service grants. */
export interface IssuedTokens {
  readonly token: string;
  readonly refreshToken: string;
  readonly expiresInSeconds: number;
}
export interface IssuedSession extends IssuedTokens {
  readonly localId: string;
}

/** How the last session of this tab ended; a server that refuses its token counts as expiry. */
export type SessionEnd = 'expired' | 'signedOut' | 'signedOutElsewhere';

export interface AuthSnapshot {
  readonly state: AuthState;
  /** milliseconds since 1970; null when nobody is signed in */
  readonly expiresAtMs: number | null;
  /** The session ends within two minutes. */
  readonly isEnding: boolean;
  /** Until somebody signs in again. */
  readonly ended: SessionEnd | null;
}

export interface AuthSessionOptions {
  /** null where the browser forbids it: sessions then last as long as the page */
  readonly storage: ItemStorage | null;
  /** Of the tab: how a session ended is said after a reload, too. null where the browser forbids it */
  readonly tabStorage: ItemStorage | null;
  /** Where the events of the window arrive. */
  readonly events: EventTarget;
  /** @throws IdentityFailure */
  readonly renew: (refreshToken: string) => Promise<IssuedTokens>;
  /** Tells the server that somebody signed out. Not waited for. */
  readonly revoke: (token: string) => void;
  /** milliseconds since 1970 */
  readonly now?: () => number;
}

/** Who is signed in on this page. Follows the browser's other tabs, and the clock rather than timers alone. */
export interface AuthSession extends Store<AuthSnapshot> {
  /** Hears when a session ends, whichever way: what was kept for the account is to be dropped. */
  onEnd(listener: (how: SessionEnd) => void): () => void;
  /** Auto sign-in: restores the kept session. @returns stops following */
  start(): () => void;
  /** @param call signs in or up at the identity service. @returns null when it succeeded */
  signIn(username: string, keep: boolean, call: () => Promise<IssuedSession>): Promise<IdentityFailure | null>;
  /**
   * Takes new tokens of the account that is signed in, without leaving the page.
   *
   * @param options.revoke the session that they replace is this page's own and would otherwise stay open at the server
   */
  resume(issued: IssuedSession, options?: { readonly revoke: boolean }): void;
  /** Asks for a new token with the refresh token, if there is one. @returns whether it came */
  renew(): Promise<boolean>;
  /** @param options.revoke false when the server has ended the session already */
  signOut(options?: { readonly revoke: boolean }): void;
  /** The token for a protected call, after a look at the clock; null when nobody is signed in (any longer). */
  tokenForCall(): Promise<string | null>;
  /** The server did not accept this token: the session counts as expired, unless there is a newer one. */
  refused(token: string): void;
  /** Forgets how the last session ended. */
  acknowledgeEnd(): void;
}
