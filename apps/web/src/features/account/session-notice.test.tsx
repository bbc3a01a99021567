import { act, screen } from '@testing-library/react';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { answerEveryClient, fakeRefusal, fakeTokens, nextCall } from '../../testing/fake-identity-service.ts';
import { renderPage } from '../../testing/render-page.tsx';
import { useSessionNotice } from './session-notice.tsx';

answerEveryClient();

const issued = { token: 'first.token', refreshToken: 'first-refresh', localId: 'u1' };
const keep = (secondsLeft: number) => {
  const items = {
    token: 'kept.token',
    tokenExpiry: new Date(Date.now() + secondsLeft * 1000).toISOString(),
    user: 'ada@example.org',
  };
  for (const [key, value] of Object.entries({ ...items, userId: 'u1' })) window.localStorage.setItem(key, value);
};

const SessionNotice = () => useSessionNotice();

let stop = () => {};
function open(at = '/process') {
  const page = renderPage(
    <>
      <SessionNotice />
      <main id="main" tabIndex={-1}>
        <input aria-label="Half-typed" />
      </main>
    </>,
    { at },
  );
  act(() => {
    stop = page.session.start();
  });
  return page;
}
async function answer(status: number, body: unknown) {
  const found = await nextCall();
  await act(async () => found.request.answer(status, body));
  return found;
}

beforeEach(() => () => stop());

describe('The notice two minutes before a session ends', () => {
  it('renews the session by a button, with the refresh token in memory', async () => {
    const { session, user } = open();
    await act(() => session.signIn('ada@example.org', false, async () => ({ ...issued, expiresInSeconds: 100 })));
    expect(screen.getByRole('alert').textContent).toMatch(/You’ll be signed out at \d/);
    await user.click(screen.getByRole('button', { name: 'Stay signed in' }));
    const { call, body } = await answer(200, { id_token: 'second.token', refresh_token: 'r', expires_in: '3600' });
    expect(call).toBe('POST /v1/token');
    expect(String(body)).toBe('grant_type=refresh_token&refresh_token=first-refresh');
    expect(session.snapshot().state.token).toBe('second.token');
    expect(screen.queryByRole('alert')).toBeNull();
  });

  it('is not shown earlier than two minutes before the end', async () => {
    const { session } = open();
    await act(() => session.signIn('ada@example.org', false, async () => ({ ...issued, expiresInSeconds: 3600 })));
    expect(screen.queryByRole('alert')).toBeNull();
  });

  it('asks for the password if there is no refresh token, and the screen keeps its contents', async () => {
    keep(100);
    const { session, user } = open();
    await user.type(screen.getByRole('textbox', { name: 'Half-typed' }), 'abc');
    expect(screen.queryByRole('button', { name: 'Stay signed in' })).toBeNull();
    await user.click(screen.getByRole('button', { name: 'Sign in again' }));
    const dialog = await screen.findByRole('dialog', { name: 'Sign in again' });
    expect(dialog.textContent).toContain('You’re signing in as ada@example.org.');
    await user.type(screen.getByLabelText('Password', { selector: 'input' }), 'wrong{Enter}');
    await answer(400, fakeRefusal('INVALID_LOGIN_CREDENTIALS'));
    const field = screen.getByLabelText('Password', { selector: 'input' });
    expect(document.getElementById(field.getAttribute('aria-describedby') ?? '')?.textContent).toBe('The password is wrong.');
    expect(document.activeElement).toBe(field);
    expect(session.snapshot().state.token).toBe('kept.token');
    await user.type(screen.getByLabelText('Password', { selector: 'input' }), '{Backspace}{Enter}');
    const { body } = await answer(200, { ...fakeTokens, idToken: 'second.token' });
    expect(body).toMatchObject({ email: 'ada@example.org' });
    expect(session.snapshot().state.token).toBe('second.token');
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(screen.getByRole('textbox', { name: 'Half-typed' })).toHaveProperty('value', 'abc');
    expect(document.activeElement).toBe(screen.getByRole('main'));
  });

  it('can be dismissed, and its dialog closed', async () => {
    keep(100);
    const { user } = open();
    await user.click(screen.getByRole('button', { name: 'Sign in again' }));
    await user.click(await screen.findByRole('button', { name: 'Close' }));
    expect(screen.queryByRole('dialog')).toBeNull();
    await user.click(screen.getByRole('button', { name: 'Not now' }));
    expect(screen.queryByRole('alert')).toBeNull();
  });
});

describe('After a session has ended', () => {
  it('by expiry, a notice with a link to sign-in is shown until it is dismissed', async () => {
    const { session, user } = open('/');
    await act(() => session.signIn('ada@example.org', false, async () => ({ ...issued, expiresInSeconds: 3600 })));
    act(() => session.refused('first.token'));
    expect(screen.getByRole('alert').textContent).toContain('You were signed out. Please sign in again.');
    expect(screen.getByRole('link', { name: 'Sign in' }).getAttribute('href')).toBe('/login');
    await user.click(screen.getByRole('button', { name: 'Close' }));
    expect(screen.queryByRole('alert')).toBeNull();
  });

  it('in another tab, a notice is shown too', async () => {
    const { session } = open();
    await act(() => session.signIn('ada@example.org', false, async () => ({ ...issued, expiresInSeconds: 3600 })));
    window.localStorage.removeItem('token');
    act(() => void window.dispatchEvent(new StorageEvent('storage', { key: 'token' })));
    expect(screen.getByRole('alert').textContent).toContain('You signed out in another tab.');
  });

  it('by signing out, no notice is shown', async () => {
    vi.stubGlobal('fetch', async () => Response.json({ ended: 1 }));
    const { session } = open();
    await act(() => session.signIn('ada@example.org', false, async () => ({ ...issued, expiresInSeconds: 3600 })));
    act(() => session.signOut());
    expect(screen.queryByRole('alert')).toBeNull();
  });
});
