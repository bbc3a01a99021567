import { eventually } from '@chiffchaff/testing';
import { act, screen, waitFor, within } from '@testing-library/react';
import { useLocation } from 'react-router';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import * as saving from '../../platform/browser/save-file.ts';
import { TERMS_VERSION } from '../../platform/session/terms-version.ts';
import { fakeConfig, fakeProblem } from '../../testing/fake-data.ts';
import { answerEveryClient, fakeRefusal, fakeTokens } from '../../testing/fake-identity-service.ts';
import { FakeRequest } from '../../testing/fake-transport.ts';
import { renderPage } from '../../testing/render-page.tsx';
import { AccountScreen } from './account-screen.tsx';

answerEveryClient();

const profile = { localId: 'u1', email: 'ada@example.org', emailVerified: false, displayName: 'Ada' };
const sessions = [
  {
    id: 's1',
    createdAt: '2026-05-01T05:00:00Z',
    lastUsedAt: '2026-05-01T06:00:00Z',
    userAgent: 'Firefox/140.0 Linux',
    current: true,
  },
  { id: 's2', createdAt: '2026-04-01T05:00:00Z', lastUsedAt: '2026-04-02T06:00:00Z', userAgent: null, current: false },
];

type Answer = readonly [status: number, body: unknown];
let answers: Record<string, Answer>;
let calls: { readonly call: string; readonly body: unknown; readonly token: string | undefined }[];

/** A fake server: responds to each call from the table, until the page sends no more requests. */
async function settle(): Promise<void> {
  await act(async () => {
    for (let idle = 0; idle < 5; idle += 1) {
      await new Promise((resolve) => setTimeout(resolve));
      for (const request of FakeRequest.sent.splice(0)) {
        idle = 0;
        const call = `${request.method} ${request.url.replace(/\?key=.*$/, '')}`;
        const body: unknown = typeof request.body === 'string' ? JSON.parse(request.body) : null;
        calls.push({ call, body, token: request.requestHeaders.authorization });
        const [status, found] = answers[call] ?? [404, fakeProblem('NOT_FOUND', { status: 404 })];
        request.answer(status, found);
      }
    }
  });
}

function Where() {
  const { pathname, state } = useLocation();
  return <p data-testid="where">{`${pathname} ${JSON.stringify(state)}`}</p>;
}

async function open(config = fakeConfig) {
  const page = renderPage(
    <>
      <AccountScreen />
      <Where />
    </>,
    { at: '/account', config },
  );
  await page.signIn();
  // The identity client loads on demand, which may take longer than `settle` waits.
  await eventually(async () => {
    await settle();
    expect(sent('POST /v1/accounts:lookup')).not.toEqual([]);
  });
  await settle();
  calls = [];
  return page;
}
const region = (name: string) => within(screen.getByRole('region', { name }));
const sent = (call: string) => calls.filter((found) => found.call === call);

beforeEach(() => {
  calls = [];
  vi.stubGlobal(
    'fetch',
    vi.fn(async () => Response.json({ ended: 1 })),
  );
  answers = {
    'POST /v1/accounts:lookup': [200, { kind: 'identitytoolkit#GetAccountInfoResponse', users: [profile] }],
    'GET /v1/account/settings': [200, { keepAudio: 'moments' }],
    'POST /v1/accounts:signInWithPassword': [200, { ...fakeTokens, idToken: 'fresh.token' }],
    'POST /v1/accounts:sendOobCode': [200, { email: profile.email }],
    'POST /v1/accounts:update': [200, { ...fakeTokens, idToken: 'third.token', email: profile.email }],
    'POST /v1/accounts:delete': [200, {}],
    'GET /v1/account/sessions': [200, { sessions }],
    'DELETE /v1/account/sessions': [200, { ended: 2 }],
    'DELETE /v1/account/sessions/s2': [200, { ended: 1 }],
    'GET /v1/account/tokens': [200, { tokens: [token] }],
    'POST /v1/account/tokens': [200, { token: { ...token, id: 't2' }, secret: 'cct_shown-once' }],
    'DELETE /v1/account/tokens/t1': [200, { revoked: true }],
    'GET /v1/account/links': [200, { links: [] }],
    'GET /v1/account/terms': [200, { accepted: [{ version: TERMS_VERSION, acceptedAt: '2026-05-01T05:00:00Z' }] }],
    'POST /v1/account/terms': [200, { accepted: [] }],
    'GET /v1/account/export': [200, { exportedAt: '2026-05-01T05:00:00Z', account: profile, terms: [] }],
    'DELETE /v1/account': [200, { deleted: true }],
  };
});

const token = {
  ...{ id: 't1', name: 'Garden', scopes: ['predict'], createdAt: '2026-05-01T05:00:00Z' },
  ...{ expiresAt: null, lastUsedAt: null },
};

it('The account screen links from its top to the sections further down', async () => {
  await open();
  for (const name of ['Public links', 'Your data', 'Delete account'])
    expect(screen.getByRole('region', { name }).id).toBe(screen.getByRole('link', { name }).getAttribute('href')?.split('#')[1]);
});

describe('API tokens on the account screen', () => {
  it('are created after the password was given, and their secret is shown once', async () => {
    const { user } = await open();
    const section = region('API tokens');
    expect(section.getByText('analyses recordings · not used yet · never expires')).toBeTruthy();
    await user.click(section.getByText('Create a token…'));
    await user.type(section.getByLabelText('Name of the token'), 'Balcony');
    await user.click(section.getByRole('checkbox', { name: /See your results/ }));
    await user.selectOptions(section.getByLabelText('Expires'), 'after 365 days');
    await user.type(section.getByLabelText('Current password'), 'correct horse');
    await user.click(section.getByRole('button', { name: 'Create token' }));
    await settle();
    expect(sent('POST /v1/account/tokens')).toMatchObject([
      { body: { name: 'Balcony', scopes: ['predict', 'read'], expiresInDays: 365 } },
    ]);
    expect(section.getByLabelText('New token')).toHaveProperty('value', 'cct_shown-once');
  });

  it('are revoked after a confirmation', async () => {
    const { user } = await open();
    await user.click(screen.getByRole('button', { name: 'Revoke Garden' }));
    expect(sent('DELETE /v1/account/tokens/t1')).toEqual([]);
    expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Cancel' }));
    await user.keyboard('{Escape}');
    expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Revoke Garden' }));
    await user.click(screen.getByRole('button', { name: 'Revoke Garden' }));
    answers['GET /v1/account/tokens'] = [200, { tokens: [] }];
    await user.click(screen.getByRole('button', { name: 'Revoke token' }));
    await settle();
    expect(sent('DELETE /v1/account/tokens/t1')).toHaveLength(1);
    expect(document.activeElement).toBe(screen.getByRole('heading', { name: 'API tokens' }));
  });
});

describe('Public links on the account screen', () => {
  it('are revoked after a question; then the focus is on what says so', async () => {
    const made = { createdAt: '2026-05-01T05:00:00Z', sound: false, commonNames: ['Wren'], fileName: null };
    answers['GET /v1/account/links'] = [200, { links: [{ ...made, id: 'l1', predictionId: 'p1' }] }];
    answers['DELETE /v1/account/links/l1'] = [200, { links: [] }];
    const { user } = await open();
    const section = region('Public links');
    await user.click(section.getByRole('button', { name: 'Revoke: Wren' }));
    await settle();
    expect(sent('DELETE /v1/account/links/l1')).toEqual([]);
    expect(section.getByRole('alert').textContent).toBe('Revoke this link? It stops working for good.');
    await user.click(section.getByRole('button', { name: 'Revoke' }));
    await settle();
    expect(section.queryByRole('button')).toBeNull();
    expect(document.activeElement).toBe(section.getByText('The link is revoked: nobody can open it any more.'));
  });
});

describe('The email address on the account screen', () => {
  it('is shown as confirmed or not, with a button to send a confirmation', async () => {
    const { user } = await open();
    expect(region('Email address').getByText('ada@example.org')).toBeTruthy();
    expect(region('Email address').getByText('not confirmed yet')).toBeTruthy();
    await user.click(screen.getByRole('button', { name: 'Send confirmation email' }));
    await settle();
    expect(sent('POST /v1/accounts:sendOobCode').map(({ body }) => body)).toEqual([
      { requestType: 'VERIFY_EMAIL', idToken: 'u1.token' },
    ]);
    expect(screen.getByRole('alert').textContent).toContain('We’ve sent a link to ada@example.org.');
  });

  it('is changed by an email to the new address, once the password was given', async () => {
    const { user } = await open();
    await user.click(screen.getByText('Change email address'));
    await user.type(screen.getByRole('textbox', { name: 'New email address' }), 'Ada@Example.org');
    const email = region('Email address');
    await user.type(email.getByLabelText('Current password', { selector: 'input' }), 'secret');
    await user.click(screen.getByRole('button', { name: 'Send link to new address' }));
    expect(screen.getByText('This is already your address.')).toBeTruthy();
    await user.clear(screen.getByRole('textbox', { name: 'New email address' }));
    await user.type(screen.getByRole('textbox', { name: 'New email address' }), 'eva@example.org{Enter}');
    await settle();
    expect(sent('POST /v1/accounts:signInWithPassword').map(({ body }) => body)).toEqual([
      { email: 'ada@example.org', password: 'secret', returnSecureToken: true },
    ]);
    expect(sent('POST /v1/accounts:sendOobCode').map(({ body }) => body)).toEqual([
      { requestType: 'VERIFY_AND_CHANGE_EMAIL', idToken: 'fresh.token', newEmail: 'eva@example.org' },
    ]);
    expect(screen.getByRole('alert').textContent).toContain('eva@example.org');
  });

  it('can be neither confirmed nor changed if the server sends no email, and the screen says so', async () => {
    await open({ ...fakeConfig, identity: { ...fakeConfig.identity, mailAvailable: false } });
    expect(screen.queryByText('Change email address')).toBeNull();
    expect(screen.getByText(/This server can’t send email/)).toBeTruthy();
  });
});

describe('The name on the account screen', () => {
  it('is saved, and removed when it is empty', async () => {
    const { user } = await open();
    const field = screen.getByRole('textbox', { name: 'Display name' });
    expect(field).toHaveProperty('value', 'Ada');
    await user.type(field, ' L. ');
    await user.click(screen.getByRole('button', { name: 'Save' }));
    await settle();
    await user.clear(field);
    await user.click(screen.getByRole('button', { name: 'Save' }));
    await settle();
    expect(sent('POST /v1/accounts:update').map(({ body }) => body)).toEqual([
      { idToken: 'u1.token', displayName: 'Ada L.' },
      { idToken: 'u1.token', deleteAttribute: ['DISPLAY_NAME'] },
    ]);
    expect(screen.getByText('Saved.')).toBeTruthy();
  });

  it('has at most 100 characters', async () => {
    const { user } = await open();
    await user.click(screen.getByRole('textbox', { name: 'Display name' }));
    await user.paste('x'.repeat(101));
    await user.click(screen.getByRole('button', { name: 'Save' }));
    expect(screen.getByText('Enter at most 100 characters.')).toBeTruthy();
    expect(calls).toEqual([]);
  });
});

describe('The password on the account screen', () => {
  it('is changed after the present one was given, and the session continues with the new tokens', async () => {
    const { user, session } = await open();
    await user.click(screen.getByText('Change password'));
    await user.type(region('Password').getByLabelText('Current password', { selector: 'input' }), 'secret');
    await user.type(region('Password').getByLabelText('New password', { selector: 'input' }), 'another one');
    await user.click(screen.getByRole('button', { name: 'Set new password' }));
    await settle();
    expect(sent('POST /v1/accounts:update').map(({ body }) => body)).toEqual([
      { idToken: 'fresh.token', password: 'another one', returnSecureToken: true },
    ]);
    expect(session.snapshot().state.token).toBe('third.token');
    expect(window.localStorage.getItem('token')).toBe('third.token');
    expect(screen.getByRole('alert').textContent).toContain('All your other devices have been signed out.');
  });

  it('is not changed if the present password is wrong, and its field says so', async () => {
    answers['POST /v1/accounts:signInWithPassword'] = [400, fakeRefusal('INVALID_PASSWORD')];
    const { user, session } = await open();
    await user.click(screen.getByText('Change password'));
    const current = region('Password').getByLabelText('Current password', { selector: 'input' });
    await user.type(current, 'guess');
    await user.type(region('Password').getByLabelText('New password', { selector: 'input' }), 'another one{Enter}');
    await settle();
    expect(current.getAttribute('aria-invalid')).toBe('true');
    expect(document.getElementById(current.getAttribute('aria-describedby') ?? '')?.textContent).toBe('The password is wrong.');
    expect(document.activeElement).toBe(current);
    expect(screen.queryByRole('alert')).toBeNull();
    expect(sent('POST /v1/accounts:update')).toEqual([]);
    expect(session.snapshot().state.token).toBe('u1.token');
  });
});

describe('All results on the account screen', () => {
  it('are deleted after a confirmation', async () => {
    const { user } = await open();
    const section = region('Your results');
    const begin = section.getByRole('button', { name: 'Delete everything…' });
    await user.click(begin);
    await user.click(section.getByRole('button', { name: 'Keep them' }));
    expect(document.activeElement).toBe(begin);
    await user.click(begin);
    expect(section.getByRole('alert').textContent).toContain('You have one minute to undo the rest');
    expect(sent('DELETE /v1/predictions')).toEqual([]);
    answers['DELETE /v1/predictions'] = [200, { deleted: 2, restorableUntil: new Date(Date.now() + 60_000).toISOString() }];
    await user.click(section.getByRole('button', { name: 'Delete all' }));
    await settle();
    expect(sent('DELETE /v1/predictions')).toHaveLength(1);
    expect(section.queryByRole('alert')).toBeNull();
  });

  it('stay if Escape closes the question, and the button that opened it has the focus again', async () => {
    const { user } = await open();
    const section = region('Your results');
    await user.click(section.getByRole('button', { name: 'Delete everything…' }));
    section.getByRole('button', { name: 'Delete all' }).focus();
    await user.keyboard('{Escape}');
    expect(section.queryByRole('alert')).toBeNull();
    expect(document.activeElement).toBe(section.getByRole('button', { name: 'Delete everything…' }));
    expect(sent('DELETE /v1/predictions')).toEqual([]);
  });

  it('stay if deleting them fails; a message says so, and the button has the focus again', async () => {
    const { user } = await open();
    answers['DELETE /v1/predictions'] = [500, fakeProblem('INTERNAL', { status: 500, detail: 'Something broke.' })];
    const section = region('Your results');
    await user.click(section.getByRole('button', { name: 'Delete everything…' }));
    await user.click(section.getByRole('button', { name: 'Delete all' }));
    await settle();
    expect(section.getByRole('alert').textContent).toContain('Something broke.');
    expect(document.activeElement).toBe(section.getByRole('button', { name: 'Delete everything…' }));
  });
});

describe('The sessions on the account screen', () => {
  it('are listed, and each session except this one can be ended', async () => {
    const { user } = await open();
    const list = region('Where you’re signed in');
    expect(list.getByText('Firefox, Linux')).toBeTruthy();
    expect(list.getByText('This device')).toBeTruthy();
    await user.click(list.getByRole('button', { name: 'Sign out Unknown device' }));
    await settle();
    expect(sent('DELETE /v1/account/sessions/s2').map(({ token }) => token)).toEqual(['Bearer u1.token']);
    expect(sent('GET /v1/account/sessions')).toHaveLength(1);
  });

  it('can all be ended, including the session of this page', async () => {
    const { user } = await open();
    await user.click(screen.getByRole('button', { name: 'Sign out everywhere' }));
    await settle();
    expect(sent('DELETE /v1/account/sessions')).toHaveLength(1);
    expect(screen.getByTestId('where').textContent).toBe('/login {"signOut":"everywhere"}');
  });

  it('are not requested from Chiffchaff if another service keeps the accounts', async () => {
    await open({ ...fakeConfig, identity: { ...fakeConfig.identity, mode: 'firebase' } });
    expect(screen.queryByRole('region', { name: 'Where you’re signed in' })).toBeNull();
  });

  it('are replaced by an error if they cannot be loaded', async () => {
    answers['GET /v1/account/sessions'] = [503, fakeProblem('SERVER_BUSY', { status: 503 })];
    await open();
    expect(region('Where you’re signed in').getByRole('alert').textContent).toBe('Detail of SERVER_BUSY');
  });
});

describe('The terms of use on the account screen', () => {
  it('are shown with the day of the agreement', async () => {
    await open();
    expect(region('Terms and Conditions').getByText(/You agreed to the current version on/).textContent).toContain('2026');
  });

  it('can be agreed to if the agreement is missing', async () => {
    answers['GET /v1/account/terms'] = [200, { accepted: [{ version: '0', acceptedAt: '2026-01-01T05:00:00Z' }] }];
    const { user } = await open();
    await user.click(screen.getByRole('button', { name: 'I agree' }));
    await settle();
    expect(sent('POST /v1/account/terms').map(({ body }) => body)).toEqual([{ version: TERMS_VERSION }]);
  });
});

it('The account screen downloads everything stored about the account as a file', async () => {
  const save = vi.spyOn(saving, 'saveFile').mockImplementation(() => {});
  const { user } = await open();
  await user.click(screen.getByRole('button', { name: 'Download' }));
  await settle();
  const [name, text] = save.mock.calls[0] ?? ['', '{}'];
  expect(name).toBe('chiffchaff-account.json');
  expect(JSON.parse(text)).toMatchObject({ account: { email: 'ada@example.org' } });
});

describe('Deleting the account on the account screen', () => {
  const confirm = async (user: Awaited<ReturnType<typeof open>>['user']) => {
    await user.click(screen.getByText('Delete my account…'));
    await user.type(region('Delete account').getByLabelText('Current password', { selector: 'input' }), 'secret');
    await user.click(screen.getByRole('button', { name: 'Delete permanently' }));
    await settle();
  };

  it('requires the password, and ends on the login screen', async () => {
    const { user } = await open();
    await confirm(user);
    expect(sent('POST /v1/accounts:delete').map(({ body }) => body)).toEqual([{ idToken: 'fresh.token' }]);
    expect(sent('DELETE /v1/account')).toEqual([]);
    expect(screen.getByTestId('where').textContent).toBe('/login {"signOut":"deleted"}');
  });

  it('also deletes what the Chiffchaff server stores if another service keeps the accounts', async () => {
    const { user } = await open({ ...fakeConfig, identity: { ...fakeConfig.identity, mode: 'emulator' } });
    await confirm(user);
    expect(calls.map(({ call }) => call).filter((call) => /delete/i.test(call))).toEqual([
      'DELETE /v1/account',
      'POST /v1/accounts:delete',
    ]);
  });

  it('does not take place if the password is wrong', async () => {
    answers['POST /v1/accounts:signInWithPassword'] = [400, fakeRefusal('INVALID_LOGIN_CREDENTIALS')];
    const { user } = await open();
    await confirm(user);
    expect(sent('POST /v1/accounts:delete')).toEqual([]);
    expect(screen.getByTestId('where').textContent).toContain('/account');
  });
});

describe('An account that was deleted, or signed out on another device,', () => {
  it.each(['TOKEN_EXPIRED', 'USER_NOT_FOUND', 'USER_DISABLED', 'INVALID_ID_TOKEN'])(
    'has its session on the page ended when the identity service answers %s',
    async (code) => {
      answers['POST /v1/accounts:lookup'] = [400, fakeRefusal(code)];
      const { session } = await open();
      await waitFor(() => expect(session.snapshot()).toMatchObject({ state: { token: null }, ended: 'expired' }));
    },
  );

  it.each(['SESSION_EXPIRED', 'SIGN_IN_REQUIRED'])('has its session on the page ended when the API answers %s', async (code) => {
    answers['GET /v1/account/sessions'] = [401, fakeProblem(code, { status: 401 })];
    const { session } = await open();
    expect(session.snapshot()).toMatchObject({ state: { token: null }, ended: 'expired' });
    expect({ ...window.localStorage }).toEqual({});
  });
});

it('The account screen offers to try again when the account cannot be loaded', async () => {
  answers['POST /v1/accounts:lookup'] = [503, 'busy'];
  const { user, session } = await open();
  expect(session.snapshot().state.token).toBe('u1.token');
  answers['POST /v1/accounts:lookup'] = [200, { kind: 'identitytoolkit#GetAccountInfoResponse', users: [profile] }];
  await user.click(screen.getByRole('button', { name: 'Try again' }));
  await settle();
  expect(screen.getByText('ada@example.org')).toBeTruthy();
});

describe('Audio retention on the account screen', () => {
  it('shows the setting of the account, and changes it at once', async () => {
    const { user } = await open();
    const kept = region('Recordings');
    expect(kept.getByRole<HTMLInputElement>('radio', { name: 'Short clips' }).checked).toBe(true);
    expect(kept.getByText(/kept for 30 days/)).toBeTruthy();
    answers['POST /v1/account/settings'] = [200, { keepAudio: 'nothing' }];
    await user.click(kept.getByRole('radio', { name: 'Nothing' }));
    await settle();
    expect(sent('POST /v1/account/settings')).toMatchObject([{ body: { keepAudio: 'nothing' } }]);
    expect(kept.getByRole<HTMLInputElement>('radio', { name: 'Nothing' }).checked).toBe(true);
    expect(kept.getByText('Saved for new recordings.')).toBeTruthy();
  });

  it('can be the whole recording for short recordings only', async () => {
    const { user } = await open();
    const kept = region('Recordings');
    const choice = kept.getByRole<HTMLInputElement>('radio', { name: 'Whole recording if under a minute' });
    expect(choice.checked).toBe(false);
    answers['POST /v1/account/settings'] = [200, { keepAudio: 'shortRecording' }];
    await user.click(choice);
    await settle();
    expect(sent('POST /v1/account/settings')).toMatchObject([{ body: { keepAudio: 'shortRecording' } }]);
    expect(choice.checked).toBe(true);
    expect(kept.getByText(/^A recording under a minute is kept whole for 30 days/)).toBeTruthy();
  });

  it('keeps its setting if the change fails, and says why', async () => {
    const { user } = await open();
    const kept = region('Recordings');
    answers['POST /v1/account/settings'] = [500, fakeProblem('INTERNAL', { status: 500, detail: 'Something broke.' })];
    await user.click(kept.getByRole('radio', { name: 'Nothing' }));
    await settle();
    expect(kept.getByRole('alert').textContent).toContain('Something broke.');
    expect(kept.getByRole<HTMLInputElement>('radio', { name: 'Short clips' }).checked).toBe(true);
  });
});
