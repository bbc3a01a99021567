import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createFakeStorage, type FakeStorage, type FakeTab } from '../../testing/fake-storage.ts';
import { IdentityFailure } from '../identity/identity-failure.ts';
import { type AuthSession, createAuthSession, type IssuedTokens } from './create-auth-session.ts';
import type { SessionEnd } from './stored-session.ts';

const start = new Date('2026-05-01T05:00:00.000Z');
const issued = { token: 'first.id.token', refreshToken: 'first-refresh', expiresInSeconds: 3600, localId: 'u1' };
const minutes = (count: number) => vi.advanceTimersByTimeAsync(count * 60_000);

interface OpenTab extends FakeTab {
  readonly session: AuthSession;
  readonly ends: SessionEnd[];
  readonly revoked: string[];
  /** Reloads the page in this tab. */
  reload(): OpenTab;
  close(): void;
}

let browser: FakeStorage;
let renew: (refreshToken: string) => Promise<IssuedTokens>;
const open: OpenTab[] = [];

/** Opens a tab and starts the session as the page does. */
function openTab(storageAllowed = true, tab = browser.openTab(), tabStorage = createFakeStorage().openTab().storage): OpenTab {
  const [ends, revoked]: [SessionEnd[], string[]] = [[], []];
  const session = createAuthSession({
    storage: storageAllowed ? tab.storage : null,
    tabStorage: storageAllowed ? tabStorage : null,
    events: tab.events,
    renew: (refreshToken) => renew(refreshToken),
    revoke: (token) => void revoked.push(token),
  });
  session.onEnd((how) => ends.push(how));
  const close = session.start();
  const reload = () => {
    close();
    return openTab(storageAllowed, tab, tabStorage);
  };
  const opened = { ...tab, session, ends, revoked, reload, close };
  open.push(opened);
  return opened;
}

const signIn = ({ session }: OpenTab, part: Partial<typeof issued> = {}, keep = false) =>
  session.signIn('ada@example.org', keep, async () => ({ ...issued, ...part }));
const stateOf = ({ session }: OpenTab) => session.snapshot().state;
const items = () => Object.fromEntries(browser.items);
const keepSession = (tokenExpiry: string, part: Record<string, string> = {}) => {
  for (const [key, value] of Object.entries({
    token: 'kept.id.token',
    tokenExpiry,
    user: 'ada@example.org',
    userId: 'u1',
    ...part,
  }))
    browser.items.set(key, value);
};

beforeEach(() => {
  vi.useFakeTimers({ now: start });
  browser = createFakeStorage();
  renew = async () => {
    throw new Error('No renewal was expected');
  };
});
afterEach(() => {
  for (const tab of open.splice(0)) tab.close();
});

describe('Automatic sign-in when the page is opened', () => {
  it('ends signed out if no token is stored', () => {
    expect(stateOf(openTab())).toMatchObject({ token: null, loading: false });
  });

  it('ends signed out if the stored token has expired, and removes the stored items', () => {
    keepSession('2026-05-01T04:59:59.999Z');
    const tab = openTab();
    expect(stateOf(tab).token).toBeNull();
    expect(items()).toEqual({});
  });

  it('ends signed out if only part of a session is stored, and removes that part', () => {
    keepSession('2026-05-01T05:10:00.000Z', { userId: '' });
    expect(stateOf(openTab()).token).toBeNull();
    expect(items()).toEqual({});
  });

  it('restores token, user and user id, and signs out when the remaining time is over', async () => {
    keepSession('2026-05-01T05:10:00.000Z');
    const tab = openTab();
    expect(stateOf(tab)).toEqual({
      token: 'kept.id.token',
      refreshToken: null,
      loading: false,
      localId: 'u1',
      error: null,
      username: 'ada@example.org',
    });
    await vi.advanceTimersByTimeAsync(10 * 60_000 - 1);
    expect(stateOf(tab).token).toBe('kept.id.token');
    await vi.advanceTimersByTimeAsync(1);
    expect(stateOf(tab).token).toBeNull();
    expect(tab.ends).toEqual(['expired']);
    expect(items()).toEqual({});
  });

  it('continues with the refresh token of a person who is kept signed in', async () => {
    keepSession('2026-05-01T04:00:00.000Z', { refreshToken: 'kept-refresh' });
    renew = vi.fn(async () => ({ token: 'second.id.token', refreshToken: 'second-refresh', expiresInSeconds: 3600 }));
    const tab = openTab();
    expect(stateOf(tab)).toMatchObject({ token: null, loading: true, username: 'ada@example.org' });
    expect(await tab.session.tokenForCall()).toBe('second.id.token');
    expect(renew).toHaveBeenCalledExactlyOnceWith('kept-refresh');
    expect(items()).toEqual({
      token: 'second.id.token',
      tokenExpiry: '2026-05-01T06:00:00.000Z',
      user: 'ada@example.org',
      userId: 'u1',
      refreshToken: 'second-refresh',
    });
  });

  it('removes a stored refresh token that the identity service refuses', async () => {
    keepSession('2026-05-01T04:00:00.000Z', { refreshToken: 'kept-refresh' });
    renew = async () => {
      throw new IdentityFailure('TOKEN_EXPIRED', 'TOKEN_EXPIRED');
    };
    const tab = openTab();
    await minutes(0);
    expect(stateOf(tab)).toMatchObject({ token: null, loading: false });
    expect(items()).toEqual({});
  });

  it('is tried again when the connection is back after the identity service could not be reached', async () => {
    keepSession('2026-05-01T04:00:00.000Z', { refreshToken: 'kept-refresh' });
    renew = async () => {
      throw new IdentityFailure('Network Error', null);
    };
    const tab = openTab();
    await minutes(0);
    expect(stateOf(tab)).toMatchObject({ token: null, loading: false });
    renew = async () => ({ token: 'second.id.token', refreshToken: 'kept-refresh', expiresInSeconds: 3600 });
    tab.events.dispatchEvent(new Event('online'));
    await minutes(0);
    expect(stateOf(tab).token).toBe('second.id.token');
  });
});

describe('Signing in on the page', () => {
  it('stores four items in the browser, and signs out after expiresIn seconds', async () => {
    const tab = openTab();
    const signingIn = signIn(tab);
    expect(stateOf(tab)).toMatchObject({ token: null, loading: true, username: 'ada@example.org' });
    expect(await signingIn).toBeNull();
    expect(stateOf(tab)).toMatchObject({ token: 'first.id.token', refreshToken: 'first-refresh', localId: 'u1', loading: false });
    expect(items()).toEqual({
      token: 'first.id.token',
      tokenExpiry: '2026-05-01T06:00:00.000Z',
      user: 'ada@example.org',
      userId: 'u1',
    });
    await minutes(60);
    expect(stateOf(tab).token).toBeNull();
    expect(tab.session.snapshot().ended).toBe('expired');
  });

  it('keeps the raw message of a failure, and stores nothing', async () => {
    const tab = openTab();
    const failure = await tab.session.signIn('ada@example.org', false, async () => {
      throw new IdentityFailure('WEAK_PASSWORD : Password should be at least 6 characters', 'WEAK_PASSWORD');
    });
    expect(failure?.code).toBe('WEAK_PASSWORD');
    expect(stateOf(tab)).toMatchObject({ token: null, error: 'WEAK_PASSWORD : Password should be at least 6 characters' });
    expect(items()).toEqual({});
  });

  it('clears the credentials of the account before, and the error of the last attempt', async () => {
    const tab = openTab();
    await signIn(tab);
    const refused = tab.session.signIn('eva@example.org', false, async () => {
      throw new IdentityFailure('INVALID_PASSWORD', 'INVALID_PASSWORD');
    });
    const starting = { token: null, refreshToken: null, localId: null, loading: true, error: null };
    expect(stateOf(tab)).toEqual({ ...starting, username: 'eva@example.org' });
    await refused;
    expect(stateOf(tab)).toEqual({ ...starting, loading: false, error: 'INVALID_PASSWORD', username: 'eva@example.org' });
    const signingIn = signIn(tab);
    expect(stateOf(tab)).toEqual({ ...starting, username: 'ada@example.org' });
    await signingIn;
  });

  it('stores the refresh token in the browser only if that was requested', async () => {
    await signIn(openTab(), {}, true);
    expect(items()).toMatchObject({ refreshToken: 'first-refresh' });
  });

  it('keeps the session in memory, and stores nothing, if the browser forbids storage', async () => {
    const tab = openTab(false);
    await signIn(tab);
    tab.events.dispatchEvent(new Event('focus'));
    expect(await tab.session.tokenForCall()).toBe('first.id.token');
    expect(items()).toEqual({});
  });

  it('keeps the session in memory, and stores no item, if the browser refuses to write one of them', async () => {
    browser.refusedKey = 'token';
    const tab = openTab();
    await signIn(tab);
    expect(await tab.session.tokenForCall()).toBe('first.id.token');
    expect(items()).toEqual({});
  });

  it('ignores the response if an account has meanwhile signed in in another tab', async () => {
    const [first, second] = [openTab(), openTab()];
    let answer: (session: typeof issued) => void = () => {};
    const late = first.session.signIn('ada@example.org', false, () => new Promise((resolve) => (answer = resolve)));
    await second.session.signIn('eva@example.org', false, async () => ({ ...issued, token: 'eva.id.token', localId: 'u2' }));
    answer(issued);
    await late;
    expect(stateOf(first)).toMatchObject({ token: 'eva.id.token', localId: 'u2', username: 'eva@example.org' });
    expect(items()).toMatchObject({ token: 'eva.id.token', userId: 'u2' });
  });

  it('signs out at the expiry, not earlier, if that is further away than the longest timer of a browser', async () => {
    const tab = openTab();
    await signIn(tab, { expiresInSeconds: 40 * 24 * 3600 });
    await minutes(39 * 24 * 60);
    expect(stateOf(tab).token).toBe('first.id.token');
    await minutes(24 * 60);
    expect(stateOf(tab).token).toBeNull();
  });
});

describe('Signing out on the page', () => {
  it('clears the stored session and its state, and notifies the server and every holder of account data', async () => {
    const tab = openTab();
    await signIn(tab, {}, true);
    tab.session.signOut();
    expect(stateOf(tab)).toEqual({
      token: null,
      refreshToken: null,
      loading: false,
      localId: null,
      error: null,
      username: null,
    });
    expect(items()).toEqual({});
    expect(tab.ends).toEqual(['signedOut']);
    expect(tab.revoked).toEqual(['first.id.token']);
    await minutes(60);
    expect(tab.ends).toEqual(['signedOut']);
  });

  it('sends nothing to the server if the session has already ended', async () => {
    const tab = openTab();
    await signIn(tab);
    tab.session.signOut({ revoke: false });
    expect(tab.revoked).toEqual([]);
  });
});

describe('The person assumed to use the page', () => {
  const personOf = ({ session }: OpenTab) => session.snapshot().person;
  const signInAs = ({ session }: OpenTab, localId: string) =>
    session.signIn(`${localId}@example.org`, false, async () => ({ ...issued, token: `${localId}.token`, localId }));

  it('stays the same on signing in, and changes on signing out', async () => {
    const tab = openTab();
    await signIn(tab);
    expect(personOf(tab)).toBe(0);
    tab.session.signOut();
    expect(personOf(tab)).toBe(1);
    tab.session.signOut();
    await signInAs(tab, 'u2');
    expect(personOf(tab)).toBe(1);
    await signInAs(tab, 'u3');
    expect(personOf(tab)).toBe(2);
  });

  it('stays the same when a session ends by itself, until another account signs in', async () => {
    const tab = openTab();
    await signIn(tab);
    tab.session.refused('first.id.token');
    expect(personOf(tab)).toBe(0);
    await signIn(tab);
    await minutes(60);
    expect([stateOf(tab).token, personOf(tab)]).toEqual([null, 0]);
    await signInAs(tab, 'u2');
    expect(personOf(tab)).toBe(1);
  });

  it('changes when an account signs in after another’s session expired while no page was open', async () => {
    keepSession('2026-05-01T04:59:59.999Z');
    const tab = openTab();
    expect(personOf(tab)).toBe(0);
    await signInAs(tab, 'u2');
    expect(personOf(tab)).toBe(1);
  });

  it('stays the same while a stored session cannot be renewed', async () => {
    keepSession('2026-05-01T04:59:59.999Z', { refreshToken: 'kept-refresh' });
    renew = async () => {
      throw new IdentityFailure('Network Error', null);
    };
    const tab = openTab();
    await minutes(0);
    expect([stateOf(tab).token, personOf(tab), browser.items.get('userId')]).toEqual([null, 0, 'u1']);
    renew = async () => ({ token: 'second.id.token', refreshToken: 'second-refresh', expiresInSeconds: 3600 });
    tab.events.dispatchEvent(new Event('focus'));
    await minutes(0);
    expect([stateOf(tab).localId, personOf(tab)]).toEqual(['u1', 0]);
  });

  it('changes in every tab when one of them signs out, or when another account takes over', async () => {
    const [first, second] = [openTab(), openTab()];
    await signIn(first);
    second.session.signOut();
    expect([personOf(first), personOf(second)]).toEqual([1, 1]);
    await signInAs(second, 'u2');
    expect([personOf(first), personOf(second)]).toEqual([1, 1]);
    await signInAs(first, 'u3');
    expect([personOf(first), personOf(second)]).toEqual([2, 2]);
  });
});

describe('The notice of how a session ended', () => {
  const endedOf = ({ session }: OpenTab) => session.snapshot().ended;

  it('is shown after a reload, too, until it has been read', async () => {
    const tab = openTab();
    await signIn(tab);
    await minutes(60);
    const loaded = tab.reload();
    expect(endedOf(loaded)).toBe('expired');
    expect(endedOf(loaded.reload())).toBe('expired');
    const read = loaded.reload();
    read.session.acknowledgeEnd();
    expect(endedOf(read.reload())).toBeNull();
    expect(endedOf(openTab())).toBeNull();
  });

  it('is shown if the session expired while no page was open, or its renewal was refused', async () => {
    keepSession('2026-05-01T04:59:00.000Z');
    const tab = openTab();
    expect(endedOf(tab)).toBe('expired');
    expect(items()).toEqual({});
    expect(endedOf(tab.reload())).toBe('expired');

    renew = async () => {
      throw new IdentityFailure('TOKEN_EXPIRED', 'TOKEN_EXPIRED');
    };
    keepSession('2026-05-01T04:59:00.000Z', { refreshToken: 'kept-refresh' });
    const other = openTab();
    await minutes(0);
    expect(endedOf(other)).toBe('expired');
  });

  it('is not shown if the session may continue, was ended by signing out, or was followed by a new sign-in', async () => {
    renew = async () => {
      throw new TypeError('Failed to fetch');
    };
    keepSession('2026-05-01T04:59:00.000Z', { refreshToken: 'kept-refresh' });
    const away = openTab();
    await minutes(0);
    expect(endedOf(away)).toBeNull();
    browser.items.clear();

    const tab = openTab();
    await signIn(tab);
    tab.session.signOut();
    expect(endedOf(tab.reload())).toBeNull();

    const again = openTab();
    await signIn(again);
    await minutes(60);
    await signIn(again);
    again.session.signOut();
    expect(endedOf(again.reload())).toBeNull();
  });

  it('is shown also if the browser forbids storage', async () => {
    const tab = openTab(false);
    await signIn(tab);
    await minutes(60);
    expect(endedOf(tab)).toBe('expired');
    expect(endedOf(tab.reload())).toBeNull();
  });
});

describe('A session that is about to end', () => {
  it('is announced two minutes before its end', async () => {
    const tab = openTab();
    await signIn(tab);
    await vi.advanceTimersByTimeAsync(58 * 60_000 - 1);
    expect(tab.session.snapshot().isEnding).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(tab.session.snapshot().isEnding).toBe(true);
  });

  it('is renewed with the refresh token in memory, which is not stored in the browser', async () => {
    const tab = openTab();
    await signIn(tab);
    await minutes(59);
    renew = vi.fn(async () => ({ token: 'second.id.token', refreshToken: 'second-refresh', expiresInSeconds: 3600 }));
    await tab.session.renew();
    expect(renew).toHaveBeenCalledExactlyOnceWith('first-refresh');
    expect(tab.session.snapshot()).toMatchObject({
      state: { token: 'second.id.token', refreshToken: 'second-refresh', username: 'ada@example.org', localId: 'u1' },
      isEnding: false,
    });
    expect(items()).toEqual({
      token: 'second.id.token',
      tokenExpiry: '2026-05-01T06:59:00.000Z',
      user: 'ada@example.org',
      userId: 'u1',
    });
    await minutes(59);
    expect(stateOf(tab).token).toBe('second.id.token');
    await minutes(1);
    expect(stateOf(tab).token).toBeNull();
  });

  it('cannot be renewed without a refresh token', async () => {
    keepSession('2026-05-01T05:01:00.000Z');
    const tab = openTab();
    expect(tab.session.snapshot().isEnding).toBe(true);
    await tab.session.renew();
    expect(stateOf(tab)).toMatchObject({ token: 'kept.id.token', loading: false, error: null });
  });

  it('is renewed once, however often that is requested', async () => {
    const tab = openTab();
    await signIn(tab);
    renew = vi.fn(async () => ({ token: 'second.id.token', refreshToken: 'r', expiresInSeconds: 3600 }));
    const both = Promise.all([tab.session.renew(), tab.session.renew()]);
    expect(stateOf(tab)).toMatchObject({ token: 'first.id.token', loading: true });
    await both;
    expect(renew).toHaveBeenCalledTimes(1);
    expect(stateOf(tab)).toMatchObject({ token: 'second.id.token', loading: false });
  });

  it.each(['answered', 'refused'])('stays ended after a sign-out if its renewal is %s later', async (how) => {
    const tab = openTab();
    await signIn(tab, {}, true);
    const answer = Promise.withResolvers<IssuedTokens>();
    renew = () => answer.promise;
    const renewing = tab.session.renew();
    tab.session.signOut();
    if (how === 'answered') answer.resolve({ token: 'second.id.token', refreshToken: 'r', expiresInSeconds: 3600 });
    else answer.reject(new IdentityFailure('Network Error', null));
    await renewing;
    expect(stateOf(tab)).toMatchObject({ token: null, loading: false, error: null });
    expect(items()).toEqual({});
  });

  it('is resumed by signing in again on the same page, with the same account only', async () => {
    keepSession('2026-05-01T05:01:00.000Z');
    const tab = openTab();
    tab.session.resume({ ...issued, token: 'eva.id.token', localId: 'u2' });
    expect(stateOf(tab).token).toBe('kept.id.token');
    tab.session.resume(issued);
    expect(stateOf(tab)).toMatchObject({ token: 'first.id.token', refreshToken: 'first-refresh' });
    expect(tab.session.snapshot().isEnding).toBe(false);
    expect(tab.ends).toEqual([]);
  });

  it('is ended at the server when a new one replaces it, if the old one began in this page', async () => {
    const tab = openTab();
    await signIn(tab);
    tab.session.resume({ ...issued, token: 'second.id.token' }, { revoke: true });
    expect(tab.revoked).toEqual(['first.id.token']);
    const other = openTab();
    other.session.resume({ ...issued, token: 'third.id.token' }, { revoke: true });
    expect(other.revoked).toEqual([]);
  });

  it('keeps its ID token, but not its refresh token, when renewal is refused', async () => {
    const tab = openTab();
    await signIn(tab, {}, true);
    renew = async () => {
      throw new IdentityFailure('TOKEN_EXPIRED', 'TOKEN_EXPIRED');
    };
    await tab.session.renew();
    expect(stateOf(tab)).toMatchObject({ token: 'first.id.token', refreshToken: null, error: 'TOKEN_EXPIRED', loading: false });
    expect(Object.keys(items())).not.toContain('refreshToken');
  });

  it('keeps both tokens when the identity service does not answer', async () => {
    const tab = openTab();
    await signIn(tab);
    renew = async () => {
      throw new IdentityFailure('timeout of 15000 ms exceeded', null);
    };
    await tab.session.renew();
    expect(stateOf(tab)).toMatchObject({
      token: 'first.id.token',
      refreshToken: 'first-refresh',
      error: 'timeout of 15000 ms exceeded',
    });
  });

  it.each(['USER_DISABLED', 'USER_NOT_FOUND'])('ends at once when renewal is answered with %s', async (code) => {
    const tab = openTab();
    await signIn(tab);
    renew = async () => {
      throw new IdentityFailure(code, code);
    };
    await tab.session.renew();
    expect(stateOf(tab).token).toBeNull();
    expect(tab.ends).toEqual(['expired']);
  });

  it('is renewed by itself for a person who is kept signed in', async () => {
    const tab = openTab();
    await signIn(tab, {}, true);
    renew = async () => ({ token: 'second.id.token', refreshToken: 'second-refresh', expiresInSeconds: 3600 });
    await minutes(58);
    expect(stateOf(tab).token).toBe('second.id.token');
    expect(items()).toMatchObject({ refreshToken: 'second-refresh', tokenExpiry: '2026-05-01T06:58:00.000Z' });
  });

  it('ends at its expiry if the identity service does not answer, and continues when it does, for a person kept signed in', async () => {
    const tab = openTab();
    await signIn(tab, {}, true);
    renew = async () => {
      throw new IdentityFailure('Network Error', null);
    };
    await minutes(60);
    expect(stateOf(tab).token).toBeNull();
    expect(tab.ends).toEqual(['expired']);
    renew = async () => ({ token: 'second.id.token', refreshToken: 'second-refresh', expiresInSeconds: 3600 });
    tab.events.dispatchEvent(new Event('focus'));
    await minutes(0);
    expect(stateOf(tab).token).toBe('second.id.token');
  });
});

describe('The expiry of a session', () => {
  /** The machine sleeps: its clock continues, its timers do not. */
  const sleep = (minutesAsleep: number) => vi.setSystemTime(Date.now() + minutesAsleep * 60_000);

  it.each(['focus', 'pageshow', 'online', 'visibilitychange'])('is checked on the browser’s event %s', async (name) => {
    const tab = openTab();
    await signIn(tab);
    sleep(61);
    expect(stateOf(tab).token).toBe('first.id.token');
    tab.events.dispatchEvent(new Event(name));
    expect(stateOf(tab).token).toBeNull();
    expect(tab.ends).toEqual(['expired']);
  });

  it('is checked before every call that needs an account', async () => {
    const tab = openTab();
    await signIn(tab);
    sleep(61);
    expect(await tab.session.tokenForCall()).toBeNull();
    expect(tab.ends).toEqual(['expired']);
  });

  it('is announced to the user at once when the device wakes shortly before it', async () => {
    const tab = openTab();
    await signIn(tab);
    sleep(59);
    tab.events.dispatchEvent(new Event('focus'));
    expect(tab.session.snapshot().isEnding).toBe(true);
  });

  it('makes a call of a person who is kept signed in wait for the new token', async () => {
    const tab = openTab();
    await signIn(tab, {}, true);
    renew = async () => ({ token: 'second.id.token', refreshToken: 'second-refresh', expiresInSeconds: 3600 });
    sleep(90);
    expect(await tab.session.tokenForCall()).toBe('second.id.token');
    expect(tab.ends).toEqual([]);
  });
});

describe('A token that the server refuses', () => {
  it('ends the session on the page as expired', async () => {
    const tab = openTab();
    await signIn(tab);
    tab.session.refused('first.id.token');
    expect(stateOf(tab).token).toBeNull();
    expect(tab.ends).toEqual(['expired']);
    expect(items()).toEqual({});
  });

  it('does not end a session that already has a newer token', async () => {
    const tab = openTab();
    await signIn(tab);
    tab.session.refused('older.id.token');
    expect(stateOf(tab).token).toBe('first.id.token');
  });
});

describe('Several tabs of the page with one session', () => {
  it('are all signed in when one of them signs in, but only that one has the refresh token', async () => {
    const [first, second] = [openTab(), openTab()];
    await signIn(first);
    expect(stateOf(second)).toMatchObject({
      token: 'first.id.token',
      refreshToken: null,
      localId: 'u1',
      username: 'ada@example.org',
    });
    await minutes(60);
    expect(stateOf(second).token).toBeNull();
    expect(second.ends).toEqual(['expired']);
  });

  it('are all signed out when one of them signs out', async () => {
    const [first, second] = [openTab(), openTab()];
    await signIn(first);
    first.session.signOut();
    expect(stateOf(second).token).toBeNull();
    expect(second.ends).toEqual(['signedOutElsewhere']);
    expect(second.revoked).toEqual([]);
    expect(items()).toEqual({});
  });

  it('take over the renewal of the session by one of them, and do not sign out at the former expiry', async () => {
    const [first, second] = [openTab(), openTab()];
    await signIn(first);
    await minutes(59);
    expect(second.session.snapshot().isEnding).toBe(true);
    renew = async () => ({ token: 'second.id.token', refreshToken: 'second-refresh', expiresInSeconds: 3600 });
    await first.session.renew();
    expect(second.session.snapshot()).toMatchObject({ state: { token: 'second.id.token' }, isEnding: false });
    await minutes(30);
    expect([first.ends, second.ends]).toEqual([[], []]);
  });

  it('keep their own refresh tokens, and share the new ID token, when one of them renews the session', async () => {
    const first = openTab();
    await signIn(first);
    const second = openTab();
    second.session.resume({ ...issued, token: 'second.id.token', refreshToken: 'second-refresh' });
    expect(stateOf(first)).toMatchObject({ token: 'second.id.token', refreshToken: 'first-refresh' });
  });

  it('end the session of one account before they take over the session of another from a tab', async () => {
    const [first, second] = [openTab(), openTab()];
    await signIn(first);
    second.session.signOut();
    await second.session.signIn('eva@example.org', false, async () => ({ ...issued, token: 'eva.id.token', localId: 'u2' }));
    expect(first.ends).toEqual(['signedOutElsewhere']);
    expect(stateOf(first)).toMatchObject({
      token: 'eva.id.token',
      refreshToken: null,
      localId: 'u2',
      username: 'eva@example.org',
    });
  });

  it('sign out on getting the focus if the stored session is gone, even if the browser did not report that', async () => {
    const tab = openTab();
    await signIn(tab);
    browser.items.clear();
    tab.events.dispatchEvent(new Event('focus'));
    expect(stateOf(tab).token).toBeNull();
  });

  it('ignore changes to other items of the browser’s storage', async () => {
    const tab = openTab();
    await signIn(tab);
    browser.items.clear();
    tab.events.dispatchEvent(Object.assign(new Event('storage'), { key: 'preferences' }));
    expect(stateOf(tab).token).toBe('first.id.token');
  });

  it('sign out when the browser’s whole storage is cleared', async () => {
    const tab = openTab();
    await signIn(tab);
    browser.items.clear();
    tab.events.dispatchEvent(Object.assign(new Event('storage'), { key: null }));
    expect(stateOf(tab).token).toBeNull();
  });

  it('leave the session object of a closed page signed out when another tab signs in', async () => {
    const [first, second] = [openTab(), openTab()];
    second.close();
    await signIn(first);
    expect(stateOf(second).token).toBeNull();
  });
});
