import { beforeEach, describe, expect, it, vi } from 'vitest';
import { fakeConfig } from '../../testing/fake-data.ts';
import { publicConfigQuery } from '../api/public-config.ts';
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
