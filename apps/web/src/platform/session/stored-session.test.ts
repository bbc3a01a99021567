import { beforeEach, describe, expect, it } from 'vitest';
import { createFakeStorage, type FakeStorage, type FakeTab } from '../../testing/fake-storage.ts';
import { readStoredSession, removeStoredSession, type StoredSession, writeStoredSession } from './stored-session.ts';

const session: StoredSession = {
  token: 'id.token.signature',
  expiresAtMs: Date.parse('2026-05-01T06:00:00.000Z'),
  username: 'ada@example.org',
  localId: 'u1',
  refreshToken: null,
};
let browser: FakeStorage;
let storage: FakeTab['storage'];
const items = () => Object.fromEntries(browser.items);

beforeEach(() => {
  browser = createFakeStorage();
  storage = browser.openTab().storage;
});

describe('The session stored in the browser', () => {
  it('consists of exactly four items, with the expiry as an ISO instant', () => {
    expect(writeStoredSession(storage, session)).toBe(true);
    expect(items()).toEqual({
      token: 'id.token.signature',
      tokenExpiry: '2026-05-01T06:00:00.000Z',
      user: 'ada@example.org',
      userId: 'u1',
    });
    expect(readStoredSession(storage)).toEqual(session);
  });

  it('includes the refresh token only while the person wants to be kept signed in', () => {
    writeStoredSession(storage, { ...session, refreshToken: 'r' });
    expect(storage.getItem('refreshToken')).toBe('r');
    expect(readStoredSession(storage)).toEqual({ ...session, refreshToken: 'r' });
    writeStoredSession(storage, session);
    expect(storage.getItem('refreshToken')).toBeNull();
  });

  it('is removed with all its items when it ends, while other items of the page stay', () => {
    storage.setItem('preferences', '{}');
    writeStoredSession(storage, { ...session, refreshToken: 'r' });
    removeStoredSession(storage);
    expect(items()).toEqual({ preferences: '{}' });
  });

  it.each(['token', 'tokenExpiry', 'user', 'userId'])('is ignored without its item %s', (key) => {
    writeStoredSession(storage, session);
    storage.removeItem(key);
    expect(readStoredSession(storage)).toBeNull();
  });

  it.each([
    ['token', ''],
    ['token', 'two words'],
    ['tokenExpiry', ''],
    ['tokenExpiry', 'soon'],
    ['tokenExpiry', '1777615200000'],
    ['tokenExpiry', '2026-05-01'],
    ['tokenExpiry', '2026-13-01T06:00:00.000Z'],
    ['user', ''],
    ['userId', ''],
  ])('is ignored if its item %s is %o', (key, value) => {
    writeStoredSession(storage, session);
    storage.setItem(key, value);
    expect(readStoredSession(storage)).toBeNull();
  });

  it('never shows one account’s token with another account’s name to a tab that reads during a write', () => {
    writeStoredSession(storage, session);
    const seen: (StoredSession | null)[] = [];
    const other = { ...session, token: 'other.token.signature', username: 'eva@example.org', localId: 'u2' };
    browser.onChange = () => seen.push(readStoredSession(storage));
    writeStoredSession(storage, other);
    expect(seen.filter((found) => found !== null)).toEqual([other]);
  });

  it('is not written at all if the browser refuses one of the items', () => {
    browser.refusedKey = 'token';
    expect(writeStoredSession(storage, session)).toBe(false);
    expect(items()).toEqual({});
  });
});
