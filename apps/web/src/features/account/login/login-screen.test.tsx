import type { PublicConfig } from '@chiffchaff/contract';
import { act, screen } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';
import { TERMS_VERSION } from '../../../platform/session/terms-version.ts';
import { fakeConfig } from '../../../testing/fake-data.ts';
import { answerEveryClient, fakeRefusal, fakeTokens, nextCall } from '../../../testing/fake-identity-service.ts';
import { FakeRequest } from '../../../testing/fake-transport.ts';
import { renderPage } from '../../../testing/render-page.tsx';
import { LoginScreen } from './login-screen.tsx';

answerEveryClient();

const open = (config = fakeConfig) => renderPage(<LoginScreen />, { config });
const email = () => screen.getByRole('textbox', { name: 'Email address' });
const password = () => screen.getByLabelText<HTMLInputElement>('Password', { selector: 'input' });
const press = (name: string) => screen.getByRole('button', { name });
/** The fault that screen readers announce with a field. */
const faultOf = (field: HTMLElement) =>
  (field.getAttribute('aria-describedby') ?? '')
    .split(' ')
    .map((id) => document.getElementById(id))
    .find((element) => element?.id.endsWith('-fault'));

async function answer(status: number, body: unknown) {
  const found = await nextCall();
  await act(async () => {
    found.request.answer(status, body);
  });
  return found;
}

describe('Signing in on the login screen', () => {
  it('sends the email address without surrounding spaces and the password exactly as typed', async () => {
    const { user, session } = open();
    await user.type(email(), '  ada@example.org ');
    await user.type(password(), ' pass word ');
    await user.click(press('Sign in'));
    const { call, body } = await answer(200, fakeTokens);
    expect(call).toBe('POST /v1/accounts:signInWithPassword');
    expect(body).toEqual({ email: 'ada@example.org', password: ' pass word ', returnSecureToken: true });
    expect(session.snapshot().state).toMatchObject({ token: 'id.token', username: 'ada@example.org', loading: false });
    expect(Object.keys(window.localStorage).toSorted()).toEqual(['token', 'tokenExpiry', 'user', 'userId']);
  });

  it('stores the refresh token on this device only if its box is ticked, which it is not at first', async () => {
    const { user } = open();
    const box = screen.getByRole<HTMLInputElement>('checkbox', { name: 'Keep me signed in on this device' });
    expect(box.checked).toBe(false);
    await user.click(box);
    await user.type(email(), 'ada@example.org');
    await user.type(password(), 'secret{Enter}');
    await answer(200, fakeTokens);
    expect(window.localStorage.getItem('refreshToken')).toBe('refresh');
  });

  it('says beside each field what is wrong with it, and focuses the first wrong field', async () => {
    const { user } = open();
    await user.click(press('Sign in'));
    expect(faultOf(email())?.textContent).toBe('Please fill this in.');
    expect(faultOf(password())?.textContent).toBe('Please fill this in.');
    expect(faultOf(email())?.getAttribute('aria-live')).toBe('polite');
    expect(email().getAttribute('aria-invalid')).toBe('true');
    expect(document.activeElement).toBe(email());
    await user.type(email(), 'ada');
    expect(faultOf(email())?.textContent).toBe('Enter an email address, such as name@example.org.');
    await user.type(email(), '@example.org');
    expect(faultOf(email())?.textContent).toBe('');
    expect(FakeRequest.sent).toEqual([]);
  });

  it('shows no fault in a field before the form is sent', async () => {
    const { user } = open();
    await user.type(email(), 'a');
    await user.tab();
    expect(faultOf(email())?.textContent).toBe('');
  });

  it.each(['INVALID_LOGIN_CREDENTIALS', 'INVALID_PASSWORD', 'EMAIL_NOT_FOUND'])(
    'shows the same sentence for every code that means wrong credentials: %s',
    async (code) => {
      const { user, session } = open();
      await user.type(email(), 'ada@example.org');
      await user.type(password(), 'secret{Enter}');
      await answer(400, fakeRefusal(code));
      expect(screen.getByRole('alert').textContent).toBe('The email address or the password is wrong.');
      expect(session.snapshot().state.error).toBe(code);
    },
  );

  it('says what to do when the server does not answer, and scrolls to that message', async () => {
    const { user, session } = open();
    const intoSight = vi.spyOn(Element.prototype, 'scrollIntoView');
    await user.type(email(), 'ada@example.org');
    await user.type(password(), 'secret{Enter}');
    const { request } = await nextCall();
    await act(async () => request.breakOff('timeout'));
    expect(screen.getByRole('alert').textContent).toBe('The server took too long to respond. Try again in a moment.');
    expect(session.snapshot().state.error).toBe('timeout of 15000 ms exceeded');
    expect(intoSight.mock.contexts[0]).toBe(screen.getByRole('alert').parentElement);
  });

  it('sends one request, however often the form is submitted meanwhile', async () => {
    const { user } = open();
    await user.type(email(), 'ada@example.org');
    await user.type(password(), 'secret{Enter}{Enter}');
    await user.click(press('One moment…'));
    await answer(400, fakeRefusal('TOO_MANY_ATTEMPTS_TRY_LATER : later'));
    expect(FakeRequest.sent).toEqual([]);
    expect(screen.getByRole('alert').textContent).toBe('Too many attempts. Wait a moment and try again.');
  });

  it('has fields that password managers fill in', async () => {
    const { user } = open();
    expect(email().getAttribute('autocomplete')).toBe('username');
    expect(password().getAttribute('autocomplete')).toBe('current-password');
    await user.click(press('I’m new here'));
    expect(password().getAttribute('autocomplete')).toBe('new-password');
  });

  it('shows the password when its button is clicked', async () => {
    const { user } = open();
    expect(password().type).toBe('password');
    await user.click(press('Show password'));
    expect(password().type).toBe('text');
    expect(press('Show password').getAttribute('aria-pressed')).toBe('true');
  });
});

describe('Creating an account on the login screen', () => {
  it('asks again for agreement to the terms of use, and stores their version with the account', async () => {
    const { user, session } = open();
    await user.type(email(), 'ada@example.org');
    await user.click(press('I’m new here'));
    expect(screen.getByRole('heading', { level: 1 }).textContent).toBe('Create an account');
    expect(email()).toHaveProperty('value', 'ada@example.org');
    await user.type(password(), 'secret');
    await user.click(press('Create account'));
    const box = screen.getByRole('checkbox', { name: /I agree to the Terms and Conditions/ });
    expect(faultOf(box)?.textContent).toBe('To create an account, you need to agree.');
    expect(document.activeElement).toBe(box);
    expect(FakeRequest.sent).toEqual([]);
    await user.click(box);
    await user.click(press('Create account'));
    const { call, body } = await answer(200, fakeTokens);
    expect(call).toBe('POST /v1/accounts:signUp');
    expect(body).toEqual({ email: 'ada@example.org', password: 'secret', termsVersion: TERMS_VERSION, returnSecureToken: true });
    expect(session.snapshot().state.token).toBe('id.token');
  });

  it('shows the box about the terms ticked if it was ticked since the page was loaded, and stores their version all the same', async () => {
    const { user, termsTick } = open();
    act(() => termsTick.set(true));
    await user.click(press('I’m new here'));
    expect(screen.getByRole<HTMLInputElement>('checkbox').checked).toBe(true);
    await user.type(email(), 'ada@example.org');
    await user.type(password(), 'secret');
    await user.click(press('Create account'));
    expect((await answer(400, fakeRefusal('EMAIL_EXISTS'))).body).toMatchObject({ termsVersion: TERMS_VERSION });
    await user.click(screen.getByRole('checkbox'));
    expect(termsTick.snapshot()).toBe(false);
  });

  it('sends the agreement to the Chiffchaff server if another service keeps the accounts', async () => {
    const { user } = open({
      ...fakeConfig,
      identity: { ...fakeConfig.identity, mode: 'firebase', baseUrl: 'https://id.example' },
    });
    await user.click(press('I’m new here'));
    await user.type(email(), 'ada@example.org');
    await user.type(password(), 'secret');
    await user.click(screen.getByRole('checkbox'));
    await user.click(press('Create account'));
    const signUp = await answer(200, fakeTokens);
    expect(signUp.call).toBe('POST https://id.example/v1/accounts:signUp');
    expect(signUp.body).toEqual({ email: 'ada@example.org', password: 'secret', returnSecureToken: true });
    const agreement = await answer(200, { accepted: [] });
    expect(agreement.call).toBe('POST /v1/account/terms');
    expect(agreement.body).toEqual({ version: TERMS_VERSION });
    expect(agreement.request.requestHeaders.authorization).toBe('Bearer id.token');
  });

  it.each([
    ['12345', 'Enter at least 6 characters.'],
    ['', 'Please fill this in.'],
  ])('says what is wrong with the password %j', async (text, sentence) => {
    const { user } = open();
    await user.click(press('I’m new here'));
    await user.type(email(), 'ada@example.org');
    if (text !== '') await user.type(password(), text);
    await user.click(press('Create account'));
    expect(faultOf(password())?.textContent).toBe(sentence);
    expect(document.activeElement).toBe(password());
  });

  it('accepts a password that consists of spaces', async () => {
    const { user } = open();
    await user.click(press('I’m new here'));
    await user.type(email(), 'ada@example.org');
    await user.type(password(), '      ');
    await user.click(screen.getByRole('checkbox'));
    await user.click(press('Create account'));
    expect((await answer(200, fakeTokens)).body).toMatchObject({ password: '      ' });
  });

  it('shows the server’s refusal of a value beside its field', async () => {
    const { user } = open();
    await user.click(press('I’m new here'));
    await user.type(email(), 'ada@example.org');
    await user.type(password(), 'secret');
    await user.click(screen.getByRole('checkbox'));
    await user.click(press('Create account'));
    await answer(400, fakeRefusal('EMAIL_EXISTS'));
    expect(faultOf(email())?.textContent).toBe('There is already an account with this email address. Sign in instead?');
    expect(document.activeElement).toBe(email());
    await user.click(press('Create account'));
    await answer(400, fakeRefusal('WEAK_PASSWORD : Password should be at least 6 characters'));
    expect(faultOf(password())?.textContent).toBe('Choose a password with at least 6 characters.');
  });

  it('is not offered if sign-up is closed', async () => {
    const { user } = open({ ...fakeConfig, identity: { ...fakeConfig.identity, signUp: 'closed' } });
    await user.click(press('I’m new here'));
    expect(screen.queryByRole('button', { name: 'Create account' })).toBeNull();
    expect(screen.getByText(/You can’t create an account here/)).toBeTruthy();
  });
});

describe('An invitation on the login screen', () => {
  const config: PublicConfig = { ...fakeConfig, identity: { ...fakeConfig.identity, signUp: 'invite' } };

  it('is required to create an account if the server’s configuration says so', async () => {
    const { user } = open(config);
    await user.click(press('I’m new here'));
    expect(screen.queryByRole('button', { name: 'Create account' })).toBeNull();
    expect(screen.getByText(/^You need an invitation/)).toBeTruthy();
  });

  it('fills the form with the invited email address, and is sent with the form', async () => {
    const { user } = renderPage(<LoginScreen />, { config, at: '/login#invitation=the-code&email=ada%40example.org' });
    expect(screen.getByText(/^You’ve been invited/)).toBeTruthy();
    expect(email()).toHaveProperty('value', 'ada@example.org');
    await user.type(password(), 'secret');
    await user.click(screen.getByRole('checkbox'));
    await user.click(press('Create account'));
    const { body } = await answer(400, fakeRefusal('USED_INVITATION'));
    expect(body).toMatchObject({ email: 'ada@example.org', inviteCode: 'the-code', termsVersion: TERMS_VERSION });
    expect(screen.getByRole('alert').textContent).toBe('This invitation has already been used. If that was you, sign in.');
  });
});

describe('A forgotten password on the login screen', () => {
  it('is reset by an email, and the page says the same whether there is an account or not', async () => {
    for (const [status, body] of [
      [200, { email: 'ada@example.org' }],
      [400, fakeRefusal('EMAIL_NOT_FOUND')],
    ] as const) {
      const { user, unmount } = open();
      await user.type(email(), 'ada@example.org');
      await user.click(press('Forgot your password?'));
      expect(document.activeElement).toBe(screen.getByRole('heading', { name: 'Forgot your password?' }));
      expect(email()).toHaveProperty('value', 'ada@example.org');
      await user.click(press('Send link'));
      const sent = await answer(status, body);
      expect(sent.call).toBe('POST /v1/accounts:sendOobCode');
      expect(sent.body).toEqual({ requestType: 'PASSWORD_RESET', email: 'ada@example.org' });
      expect(screen.getByRole('alert').textContent).toContain('If ada@example.org has an account');
      unmount();
    }
  });

  it('has a form that leads back to sign-in', async () => {
    const { user } = open();
    await user.click(press('Forgot your password?'));
    expect(document.title).toBe('Forgot your password? · Chiffchaff');
    await user.click(press('Back to sign in'));
    expect(document.title).toBe('Login · Chiffchaff');
    expect(screen.getByRole('heading', { level: 1 }).textContent).toBe('Sign in');
  });

  it('cannot be reset if the server sends no email, and the forms for a reset and for a new account say so', async () => {
    const { user } = open({ ...fakeConfig, identity: { ...fakeConfig.identity, mailAvailable: false } });
    await user.click(press('I’m new here'));
    expect(screen.getByText(/This server can’t send email/)).toBeTruthy();
    await user.click(press('I have an account'));
    expect(screen.queryByText(/This server can’t send email/)).toBeNull();
    await user.click(press('Forgot your password?'));
    expect(screen.getByText(/This server can’t send email/)).toBeTruthy();
    expect(screen.queryByRole('button', { name: 'Send link' })).toBeNull();
  });

  it.each([
    ['birds@example.org', 'a new password: birds@example.org'],
    [null, 'a new password.'],
  ])('cannot be reset without email: its form says whom to ask, with the address %s', async (contactEmail, end) => {
    const { identity, terms } = fakeConfig;
    const { user } = open({
      ...fakeConfig,
      identity: { ...identity, mailAvailable: false },
      terms: { ...terms, contactEmail },
    });
    await user.click(press('Forgot your password?'));
    const said = `This server can’t send email. Ask its operator for a link to choose ${end}`;
    expect(screen.getByText(said)).toBeTruthy();
  });
});
