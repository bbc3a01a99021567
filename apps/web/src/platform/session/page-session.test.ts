import { eventually } from '@chiffchaff/testing';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { fakeCaches } from '../../testing/fake-caches.ts';
import { fakeConfig } from '../../testing/fake-data.ts';
import { publicConfigQuery } from '../api/public-config.ts';
import { keepDevicePlace } from '../storage/device-place.ts';
import { keepShared, SHARED_FIELD, takeShared } from '../storage/shared-recordings.ts';
import { createPageSession, type PageSession } from './page-session.ts';

const issued = { token: 'id.token', refreshToken: 'refresh', expiresInSeconds: 3600, localId: 'u1' };
const fetched = vi.fn();
let page: PageSession;

beforeEach(async () => {
  fetched.mockReset().mockImplementation(async () => Response.json({ ended: 1 }));
  vi.stubGlobal('fetch', fetched);
  page = createPageSession();
  page.queries.setQueryData(publicConfigQuery.queryKey, { ...fakeConfig, apiOrigin: 'https://api.example' });
  await page.session.signIn('ada@example.org', false, async () => issued);
});

describe('Signing out of the page', () => {
  it('discards loaded data of the account and keeps public data', () => {
    page.queries.setQueryData(['account', 'u1', 'profile'], {});
    page.queries.setQueryData(['predictions'], []);
    page.session.signOut();
    expect(
      page.queries
        .getQueryCache()
        .getAll()
        .map(({ queryKey }) => queryKey),
    ).toEqual([publicConfigQuery.queryKey]);
  });

  it('ends the session at the server, even while the page is being left', () => {
    page.session.signOut();
    expect(fetched.mock.calls).toEqual([
      [
        'https://api.example/v1/account/sessions/current',
        { method: 'DELETE', keepalive: true, headers: { authorization: 'Bearer id.token' } },
      ],
    ]);
  });

  it('unticks the box about the terms, so that nobody agrees for the next person', () => {
    page.termsTick.set(true);
    page.session.signOut();
    expect(page.termsTick.snapshot()).toBe(false);
  });

  it('succeeds if the server cannot be reached', async () => {
    fetched.mockRejectedValue(new TypeError('Failed to fetch'));
    page.session.signOut();
    await Promise.resolve();
    expect(page.session.snapshot().ended).toBe('signedOut');
  });

  it('sends nothing to the Chiffchaff server if another service keeps the sessions', () => {
    const identity = { ...fakeConfig.identity, mode: 'firebase' as const };
    page.queries.setQueryData(publicConfigQuery.queryKey, { ...fakeConfig, identity });
    page.session.signOut();
    expect(fetched).not.toHaveBeenCalled();
  });

  it('because the session expired also discards loaded data of the account', () => {
    page.queries.setQueryData(['account', 'u1', 'profile'], {});
    page.session.refused('id.token');
    expect(page.queries.getQueryData(['account', 'u1', 'profile'])).toBeUndefined();
  });
});

describe('What an account left on the device', () => {
  const cambridge = { kind: 'place', latitude: 52.2, longitude: 0.12, name: 'Cambridge' } as const;
  const signInAs = (localId: string, { session } = page) =>
    session.signIn(`${localId}@example.org`, false, async () => ({ ...issued, token: `${localId}.token`, localId }));
  const place = () => window.localStorage.getItem('place');
  let device: ReturnType<typeof fakeCaches>;

  beforeEach(async () => {
    device = fakeCaches();
    vi.stubGlobal('caches', device.caches);
    keepDevicePlace(cambridge, 'u1');
    const form = new FormData();
    form.append(SHARED_FIELD, new File(['song'], 'garden.m4a'));
    await keepShared(form);
    const places = await device.caches.open('on-device-places');
    await places.put('/on-device/places/v1/occurrences?latitude=52.2&longitude=0.1/m-1', new Response('x'));
  });
  const isGone = async () => {
    expect(place()).toBeNull();
    await eventually(() => expect(device.left()).toEqual([]));
    expect(await takeShared()).toEqual([]);
  };
  const isThere = async () => {
    expect(place()).toContain('Cambridge');
    expect(device.left()).toHaveLength(2);
  };

  it('is deleted by signing out, so that no shared recording is offered to the next person', async () => {
    page.session.signOut();
    await isGone();
  });

  it('stays when its session ends by itself, and is deleted when another account signs in', async () => {
    page.session.refused('id.token');
    await isThere();
    await signInAs('u1');
    await isThere();
    page.session.refused('u1.token');
    await signInAs('u2');
    await isGone();
  });

  it('is deleted when another account signs in on a page that never knew the first one', async () => {
    page.session.refused('id.token');
    await signInAs('u2', createPageSession());
    await isGone();
  });

  it('is not confused with what the next account stored, in a tab that learns late of the change of account', async () => {
    for (const key of ['token', 'userId', 'user']) window.localStorage.setItem(key, 'u2');
    keepDevicePlace(cambridge, 'u2');
    await page.session.tokenForCall();
    expect(page.session.snapshot()).toMatchObject({ state: { localId: 'u2' }, person: 1 });
    await isThere();
  });

  it('is deleted when another account signs in without a sign-out before', async () => {
    await signInAs('u2');
    await isGone();
  });
});
