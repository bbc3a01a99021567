import { createStore } from '../browser/store.ts';
import { type IdentityFailure, toIdentityFailure } from '../identity/identity-failure.ts';
import type { Items } from '../storage/registry.ts';
import {
  isSessionKey,
  readSessionEnd,
  readStoredSession,
  removeStoredSession,
  type SessionEnd,
  type StoredSession,
  writeSessionEnd,
  writeStoredSession,
} from './stored-session.ts';

/** How long before the end of a session a notice appears. */
const NOTICE_BEFORE_EXPIRY_MS = 120_000;

/** Authentication state, as in the specification: an account is signed in if `token` is set. */
interface AuthState {
  readonly token: string | null;
  /** null after a reload, unless the user asked to stay signed in */
  readonly refreshToken: string | null;
  readonly loading: boolean;
  readonly localId: string | null;
  /** The raw `error.message` of the last failure, or the HTTP client's; people read `identitySentence`. */
  readonly error: string | null;
  readonly username: string | null;
}

/** The specification names token, refresh token and loading; nothing else of the account may remain either. */
const signedOut: AuthState = { token: null, refreshToken: null, loading: false, localId: null, error: null, username: null };

/** Tokens issued by the identity service. */
export interface IssuedTokens {
  readonly token: string;
  readonly refreshToken: string;
  readonly expiresInSeconds: number;
}
export interface IssuedSession extends IssuedTokens {
  readonly localId: string;
}

export interface AuthSnapshot {
  readonly state: AuthState;
  /** milliseconds since 1970; null when no account is signed in */
  readonly expiresAtMs: number | null;
  /** The session ends within two minutes. */
  readonly isEnding: boolean;
  /** How the last session ended; null from the next sign-in on. */
  readonly ended: SessionEnd | null;
  /** Counts who has used this page: rises when an account signs out, or when another one follows an account whose session has expired. */
  readonly person: number;
}

interface AuthSessionOptions {
  /** null if the browser forbids it: sessions then last as long as the page */
  readonly storage: Items<'localStorage'> | null;
  /** The tab's storage, which keeps how a session ended across a reload. null if the browser forbids it */
  readonly tabStorage: Items<'sessionStorage'> | null;
  /** Source of the window's events. */
  readonly events: EventTarget;
  /** @throws IdentityFailure */
  readonly renew: (refreshToken: string) => Promise<IssuedTokens>;
  /** Reports a sign-out to the server. Not awaited. */
  readonly revoke: (token: string) => void;
}

/** Longest timer delay that browsers support; longer ones would fire at once. */
const MAX_TIMER_MS = 2_147_483_647;
/** Error codes of a renewal for an account that no longer exists or is disabled. */
const accountGone: readonly (string | null)[] = ['USER_DISABLED', 'USER_NOT_FOUND'];

type Account = Pick<StoredSession, 'localId' | 'username'>;

export function createAuthSession({ storage, tabStorage, events, renew: askForTokens, revoke }: AuthSessionOptions) {
  const endListeners: ((how: SessionEnd, localId: string) => void)[] = [];
  const { set, snapshot, subscribe } = createStore<AuthSnapshot>({
    state: signedOut,
    expiresAtMs: null,
    isEnding: false,
    ended: null,
    person: 0,
  });
  /** The browser also stores the refresh token. */
  let isKept = false;
  /** The browser stores this session; otherwise it ends with the page. */
  let isStored = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let renewal: Promise<void> | null = null;
  /** The last account on this page that has not signed out; null for none. */
  let lastAccount: string | null = null;
  /** Incremented to invalidate the responses to earlier requests. */
  let requestGeneration = 0;

  const publish = (part: Partial<AuthSnapshot>) => set({ ...snapshot(), ...part });
  const isExpired = () => Date.now() >= (snapshot().expiresAtMs ?? Number.POSITIVE_INFINITY);
  const isSoon = (expiresAtMs: number) => expiresAtMs - Date.now() <= NOTICE_BEFORE_EXPIRY_MS;

  function begin({ expiresAtMs, ...credentials }: StoredSession): void {
    const { localId } = credentials;
    requestGeneration += 1;
    writeSessionEnd(tabStorage, null);
    const person = snapshot().person + Number(lastAccount !== null && lastAccount !== localId);
    lastAccount = localId;
    const state = { ...credentials, loading: false, error: null };
    publish({ state, expiresAtMs, isEnding: isSoon(expiresAtMs), ended: null, person });
    arm();
  }

  /** Begins or continues a session with what the identity service has issued, and stores it. */
  function accept({ localId, username }: Account, { token, refreshToken, expiresInSeconds }: IssuedTokens): void {
    const session = { localId, username, token, refreshToken, expiresAtMs: Date.now() + expiresInSeconds * 1000 };
    begin(session);
    if (storage) isStored = writeStoredSession(storage, { ...session, refreshToken: isKept ? refreshToken : null });
  }

  function end(how: SessionEnd | null, { keepStored = false } = {}): void {
    const { localId } = snapshot().state;
    const hasLeft = lastAccount !== null && how !== null && how !== 'expired';
    if (hasLeft) lastAccount = null;
    requestGeneration += 1;
    clearTimeout(timer);
    if (storage && !keepStored) removeStoredSession(storage);
    isKept = isStored = false;
    writeSessionEnd(tabStorage, how);
    const person = snapshot().person + Number(hasLeft);
    publish({ state: signedOut, expiresAtMs: null, isEnding: false, ended: how, person });
    if (localId !== null && how) for (const listener of endListeners) listener(how, localId);
  }

  function arm(): void {
    clearTimeout(timer);
    const { expiresAtMs, isEnding } = snapshot();
    if (expiresAtMs === null) return;
    const nextMs = expiresAtMs - (isEnding ? 0 : NOTICE_BEFORE_EXPIRY_MS) - Date.now();
    timer = setTimeout(check, Math.min(Math.max(nextMs, 0), MAX_TIMER_MS));
  }

  /** Syncs with the stored session: another tab may have signed in or out, or renewed. */
  function follow(): void {
    const { token, loading } = snapshot().state;
    if (!storage || (token !== null && !isStored)) return;
    const stored = readStoredSession(storage);
    if (stored === null) {
      // The tab that removed the token removes the rest.
      if (token !== null) end(isExpired() ? 'expired' : 'signedOutElsewhere', { keepStored: true });
    } else if (stored.token !== token) {
      if (stored.expiresAtMs > Date.now()) adopt(stored);
      else if (token === null && !loading && stored.refreshToken !== null) {
        isKept = true;
        void renewAs(stored, stored.refreshToken);
      }
    }
  }

  function adopt(stored: StoredSession): void {
    const { localId } = snapshot().state;
    if (localId !== null && localId !== stored.localId) end('signedOutElsewhere', { keepStored: true });
    isStored = true;
    isKept = stored.refreshToken !== null;
    // The one in memory belongs to this account: another account's session has just ended.
    begin({ ...stored, refreshToken: stored.refreshToken ?? snapshot().state.refreshToken });
  }

  /**
   * Calls the identity service, in `state` meanwhile. The answer is ignored once the session has changed.
   *
   * @returns why it failed; null if it did not
   */
  async function ask<Answer>(
    state: AuthState,
    call: () => Promise<Answer>,
    onAnswer: (answer: Answer) => void,
    onFailure: (failure: IdentityFailure) => void,
  ): Promise<IdentityFailure | null> {
    requestGeneration += 1;
    const mine = requestGeneration;
    publish({ state });
    try {
      const answer = await call();
      if (mine === requestGeneration) onAnswer(answer);
      return null;
    } catch (thrown) {
      const failure = toIdentityFailure(thrown);
      if (mine === requestGeneration) onFailure(failure);
      return failure;
    }
  }

  /** Requests new tokens of the account that is signed in, or whose stored session has expired. */
  function renewAs(account: Account, refreshToken: string): Promise<void> {
    const { state } = snapshot();
    const onFailure = ({ code, message: error }: IdentityFailure) => {
      const isRefused = code !== null;
      // While the service is out of reach, an expired session stays stored.
      if (state.token === null) end(isRefused ? 'expired' : null, { keepStored: !isRefused });
      else if (accountGone.includes(code)) end('expired');
      else {
        // A refused refresh token is dropped, since it would be refused again; after any other failure it is kept for the next attempt.
        publish({ state: { ...state, refreshToken: isRefused ? null : refreshToken, error } });
        if (!isRefused) return;
        isKept = false;
        storage?.removeItem('refreshToken');
      }
    };
    const asking = ask(
      { ...state, username: account.username, loading: true, error: null },
      () => askForTokens(refreshToken),
      (tokens) => accept(account, tokens),
      onFailure,
    ).then(() => {
      if (renewal === asking) renewal = null;
    });
    renewal = asking;
    return asking;
  }

  async function renew(): Promise<void> {
    const { localId, username, refreshToken } = snapshot().state;
    if (renewal) await renewal;
    else if (localId !== null && username !== null && refreshToken !== null) await renewAs({ localId, username }, refreshToken);
  }

  async function expire(): Promise<void> {
    if (isKept) await renew();
    if (isExpired()) end('expired', { keepStored: isKept });
  }

  function check(): void {
    follow();
    const { expiresAtMs, isEnding: wasEnding } = snapshot();
    if (expiresAtMs === null) return;
    if (isExpired()) {
      void expire();
      return;
    }
    const isEnding = isSoon(expiresAtMs);
    if (isEnding !== wasEnding) publish({ isEnding });
    if (isEnding && isKept) void renew();
    arm();
  }

  return {
    snapshot,
    subscribe,
    /** Called whenever a session ends, for whatever reason, to drop the account's cached data. */
    onEnd(listener: (how: SessionEnd, localId: string) => void) {
      endListeners.push(listener);
    },

    /** Auto sign-in: restores the stored session. @returns a function that stops watching */
    start() {
      const stored = storage && readStoredSession(storage);
      lastAccount = stored?.localId ?? null;
      if (stored && (stored.expiresAtMs > Date.now() || stored.refreshToken !== null)) follow();
      else end(stored ? 'expired' : readSessionEnd(tabStorage));
      const watching = new AbortController();
      const onStorage = (event: Event) => {
        const key = 'key' in event && typeof event.key === 'string' ? event.key : null;
        if (key === null || isSessionKey(key)) check();
      };
      events.addEventListener('storage', onStorage, watching);
      for (const name of ['focus', 'pageshow', 'online', 'visibilitychange']) events.addEventListener(name, check, watching);
      return () => {
        clearTimeout(timer);
        watching.abort();
      };
    },

    /** @param call signs in or up at the identity service. @returns null on success */
    signIn(username: string, keep: boolean, call: () => Promise<IssuedSession>): Promise<IdentityFailure | null> {
      if (snapshot().state.token !== null) end('signedOut');
      return ask(
        { ...signedOut, loading: true, username },
        call,
        (issued) => {
          isKept = keep;
          accept({ localId: issued.localId, username }, issued);
        },
        ({ message: error }) => publish({ state: { ...signedOut, username, error } }),
      );
    },

    /**
     * Replaces the tokens of the account that is signed in, without leaving the page.
     *
     * @param options.revoke whether to revoke the replaced session, which is this page's own and would otherwise stay open at the server
     */
    resume(issued: IssuedSession, { revoke: isRevoked } = { revoke: false }) {
      const { token, refreshToken, localId, username } = snapshot().state;
      if (issued.localId !== localId || username === null) return;
      accept({ localId, username }, issued);
      // If the refresh token is elsewhere, the session may still serve another tab.
      if (isRevoked && token !== null && refreshToken !== null) revoke(token);
    },

    /** Requests a new token with the refresh token, if there is one; `state` says whether it failed. */
    renew,

    /** @param options.revoke false if the server has already ended the session */
    signOut({ revoke: isRevoked } = { revoke: true }) {
      const { token } = snapshot().state;
      end('signedOut');
      if (token !== null && isRevoked) revoke(token);
    },

    /** The token for an authenticated request, after an expiry check; null when no account is signed in (any longer). */
    async tokenForCall() {
      check();
      if (renewal && (isExpired() || snapshot().state.token === null)) await renewal;
      return snapshot().state.token;
    },

    /** Reports that the server refused this token: the session counts as expired, unless a newer token exists. */
    refused(token: string) {
      follow();
      if (token === snapshot().state.token) end('expired');
    },

    /** Forgets how the last session ended. */
    acknowledgeEnd() {
      writeSessionEnd(tabStorage, null);
      publish({ ended: null });
    },
  };
}

/** The account that is signed in on this page. Follows other tabs, and the clock rather than timers alone. */
export type AuthSession = ReturnType<typeof createAuthSession>;
