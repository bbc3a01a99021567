import { createStore } from '../browser/store.ts';
import { toIdentityFailure } from '../identity/identity-failure.ts';
import type { Items } from '../storage/registry.ts';
import { type AuthAction, type AuthState, reduceAuth, signedOut } from './auth-state.ts';
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
  /** milliseconds since 1970 */
  readonly now?: () => number;
}

/** Longest timer delay that browsers support; longer ones would fire at once. */
const MAX_TIMER_MS = 2_147_483_647;
/** Error codes of a renewal for an account that no longer exists or is disabled. */
const accountGone: readonly (string | null)[] = ['USER_DISABLED', 'USER_NOT_FOUND'];

export function createAuthSession({
  storage,
  tabStorage,
  events,
  renew: askForTokens,
  revoke,
  now = Date.now,
}: AuthSessionOptions) {
  const endListeners: ((how: SessionEnd, localId: string) => void)[] = [];
  let current: AuthSnapshot = { state: signedOut, expiresAtMs: null, isEnding: false, ended: null, person: 0 };
  const { set, ...store } = createStore(current);
  /** The browser also stores the refresh token. */
  let isKept = false;
  /** The browser stores this session; otherwise it ends with the page. */
  let isStored = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let renewal: Promise<boolean> | null = null;
  /** The last account on this page that has not signed out; null for none. */
  let lastAccount: string | null = null;
  /** Incremented to invalidate the responses to earlier requests. */
  let requestGeneration = 0;

  const publish = (part: Partial<AuthSnapshot>) => {
    current = { ...current, ...part };
    set(current);
  };
  const reduced = (action: AuthAction) => reduceAuth(current.state, action);
  const isExpired = () => current.expiresAtMs !== null && now() >= current.expiresAtMs;

  function begin(state: AuthState, expiresAtMs: number): void {
    writeSessionEnd(tabStorage, null);
    const person = current.person + Number(lastAccount !== null && lastAccount !== state.localId);
    lastAccount = state.localId;
    publish({ state, expiresAtMs, isEnding: expiresAtMs - now() <= NOTICE_BEFORE_EXPIRY_MS, ended: null, person });
    arm();
  }

  function end(how: SessionEnd | null, { keepStored = false } = {}): void {
    const { token, localId } = current.state;
    const hasLeft = lastAccount !== null && how !== null && how !== 'expired';
    if (hasLeft) lastAccount = null;
    requestGeneration += 1;
    clearTimeout(timer);
    if (storage && !keepStored) removeStoredSession(storage);
    isKept = isStored = false;
    writeSessionEnd(tabStorage, how);
    const person = current.person + Number(hasLeft);
    publish({ state: reduced({ type: 'logout' }), expiresAtMs: null, isEnding: false, ended: how, person });
    if (token !== null && localId !== null && how) for (const listener of endListeners) listener(how, localId);
  }

  function save(): void {
    const { token, localId, username, refreshToken } = current.state;
    if (!storage || token === null || localId === null || username === null || current.expiresAtMs === null) return;
    const kept = isKept ? refreshToken : null;
    const { expiresAtMs } = current;
    isStored = writeStoredSession(storage, { token, expiresAtMs, user: username, userId: localId, refreshToken: kept });
  }

  function arm(): void {
    clearTimeout(timer);
    if (current.expiresAtMs === null) return;
    const nextMs = current.expiresAtMs - (current.isEnding ? 0 : NOTICE_BEFORE_EXPIRY_MS) - now();
    timer = setTimeout(check, Math.min(Math.max(nextMs, 0), MAX_TIMER_MS));
  }

  /** Syncs with the stored session: another tab may have signed in or out, or renewed. */
  function follow(): void {
    if (!storage || (current.state.token !== null && !isStored)) return;
    const stored = readStoredSession(storage);
    if (stored === null) {
      // The tab that removed the token removes the rest.
      if (current.state.token !== null) end(isExpired() ? 'expired' : 'signedOutElsewhere', { keepStored: true });
    } else if (stored.token !== current.state.token) {
      if (stored.expiresAtMs > now()) adopt(stored);
      else if (current.state.token === null && !current.state.loading) renewKept(stored);
    }
  }

  function adopt({ token, userId, user, expiresAtMs, refreshToken }: StoredSession): void {
    if (current.state.token !== null && current.state.localId !== userId) end('signedOutElsewhere', { keepStored: true });
    requestGeneration += 1;
    isStored = true;
    isKept = refreshToken !== null;
    // The one in memory belongs to this account: another account's session has just ended.
    const known = refreshToken ?? current.state.refreshToken;
    begin(reduced({ type: 'restore', token, localId: userId, username: user, refreshToken: known }), expiresAtMs);
  }

  /** Renews a stored session that has expired. If the service is out of reach, it stays stored. */
  function renewKept({ refreshToken, user, userId }: StoredSession): void {
    if (refreshToken === null) return;
    requestGeneration += 1;
    const mine = requestGeneration;
    publish({ state: reduced({ type: 'start', username: user }) });
    const ask = async () => {
      try {
        const tokens = await askForTokens(refreshToken);
        if (mine !== requestGeneration) return false;
        isKept = true;
        const success = { type: 'success', localId: userId, username: user, ...tokens } as const;
        begin(reduced(success), now() + tokens.expiresInSeconds * 1000);
        save();
        return true;
      } catch (thrown) {
        if (mine !== requestGeneration) return false;
        const isRefused = toIdentityFailure(thrown).code !== null;
        end(isRefused ? 'expired' : null, { keepStored: !isRefused });
        return false;
      }
    };
    void track(ask());
  }

  function track(asking: Promise<boolean>): Promise<boolean> {
    const tracked = asking.finally(() => {
      if (renewal === tracked) renewal = null;
    });
    renewal = tracked;
    return tracked;
  }

  async function askToRenew(refreshToken: string): Promise<boolean> {
    const owner = current.state.localId;
    const isStillHere = () => current.state.token !== null && current.state.localId === owner;
    publish({ state: reduced({ type: 'renewStart' }) });
    try {
      const tokens = await askForTokens(refreshToken);
      if (!isStillHere()) return false;
      begin(reduced({ type: 'renewed', ...tokens }), now() + tokens.expiresInSeconds * 1000);
      save();
      return true;
    } catch (thrown) {
      const { message, code } = toIdentityFailure(thrown);
      if (!isStillHere()) return false;
      if (accountGone.includes(code)) {
        end('expired');
        return false;
      }
      // A refused refresh token is dropped, since it would be refused again; after any other failure it is kept for the next attempt.
      publish({ state: reduced({ type: 'renewFailure', error: message, refreshToken: code === null ? refreshToken : null }) });
      if (isKept && code !== null) {
        isKept = false;
        save();
      }
      return false;
    }
  }

  async function renew(): Promise<boolean> {
    if (renewal) return renewal;
    const { token, refreshToken } = current.state;
    if (token === null || refreshToken === null) return false;
    return track(askToRenew(refreshToken));
  }

  async function expire(): Promise<void> {
    const { refreshToken } = current.state;
    if (!isKept || refreshToken === null) {
      end('expired');
      return;
    }
    await renew();
    if (isExpired()) end('expired', { keepStored: current.state.refreshToken !== null });
  }

  function check(): void {
    follow();
    if (current.expiresAtMs === null) return;
    if (isExpired()) {
      void expire();
      return;
    }
    const isEnding = current.expiresAtMs - now() <= NOTICE_BEFORE_EXPIRY_MS;
    if (isEnding !== current.isEnding) publish({ isEnding });
    if (isEnding && isKept) void renew();
    arm();
  }

  const onStorage = (event: Event) => {
    const key = 'key' in event && typeof event.key === 'string' ? event.key : null;
    if (key === null || isSessionKey(key)) check();
  };
  const wakeEvents = ['focus', 'pageshow', 'online', 'visibilitychange'] as const;

  return {
    ...store,
    /** Called whenever a session ends, for whatever reason, to drop the account's cached data. */
    onEnd(listener: (how: SessionEnd, localId: string) => void) {
      endListeners.push(listener);
    },

    /** Auto sign-in: restores the stored session. @returns a function that stops watching */
    start() {
      const stored = storage && readStoredSession(storage);
      lastAccount = stored?.userId ?? null;
      if (stored && (stored.expiresAtMs > now() || stored.refreshToken !== null)) follow();
      else end(stored ? 'expired' : readSessionEnd(tabStorage));
      events.addEventListener('storage', onStorage);
      for (const name of wakeEvents) events.addEventListener(name, check);
      return () => {
        clearTimeout(timer);
        events.removeEventListener('storage', onStorage);
        for (const name of wakeEvents) events.removeEventListener(name, check);
      };
    },

    /** @param call signs in or up at the identity service. @returns null on success */
    async signIn(username: string, keep: boolean, call: () => Promise<IssuedSession>) {
      if (current.state.token !== null) end('signedOut');
      requestGeneration += 1;
      const mine = requestGeneration;
      publish({ state: reduced({ type: 'start', username }) });
      try {
        const { expiresInSeconds, ...issued } = await call();
        if (mine !== requestGeneration) return null;
        isKept = keep;
        begin(reduced({ type: 'success', username, ...issued }), now() + expiresInSeconds * 1000);
        save();
        return null;
      } catch (thrown) {
        const failure = toIdentityFailure(thrown);
        if (mine === requestGeneration) publish({ state: reduced({ type: 'failure', error: failure.message }) });
        return failure;
      }
    },

    /**
     * Replaces the tokens of the account that is signed in, without leaving the page.
     *
     * @param options.revoke whether to revoke the replaced session, which is this page's own and would otherwise stay open at the server
     */
    resume({ localId, expiresInSeconds, ...tokens }: IssuedSession, { revoke: isRevoked } = { revoke: false }) {
      const { state } = current;
      if (state.localId !== localId) return;
      requestGeneration += 1;
      begin(reduced({ type: 'renewed', ...tokens }), now() + expiresInSeconds * 1000);
      save();
      // If the refresh token is elsewhere, the session may still serve another tab.
      if (isRevoked && state.token !== null && state.refreshToken !== null) revoke(state.token);
    },

    /** Requests a new token with the refresh token, if there is one. @returns whether it succeeded */
    renew,

    /** @param options.revoke false if the server has already ended the session */
    signOut({ revoke: isRevoked } = { revoke: true }) {
      const { token } = current.state;
      end('signedOut');
      if (token !== null && isRevoked) revoke(token);
    },

    /** The token for an authenticated request, after an expiry check; null when no account is signed in (any longer). */
    async tokenForCall() {
      check();
      if (renewal && (isExpired() || current.state.token === null)) await renewal;
      return current.state.token;
    },

    /** Reports that the server refused this token: the session counts as expired, unless a newer token exists. */
    refused(token: string) {
      follow();
      if (token === current.state.token) end('expired');
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
