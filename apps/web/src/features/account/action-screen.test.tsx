import { act, screen } from '@testing-library/react';
import { afterEach, describe, expect, it } from 'vitest';
import { speak } from '../../languages/i18n.ts';
import { preferences } from '../../platform/storage/preferences.ts';
import { answerEveryClient, fakeRefusal, nextCall } from '../../testing/fake-identity-service.ts';
import { FakeRequest } from '../../testing/fake-transport.ts';
import { renderPage } from '../../testing/render-page.tsx';
import { ActionScreen } from './action-screen.tsx';

answerEveryClient();
afterEach(() => speak('en'));

const email = 'ada@example.org';
const open = (query: string) => renderPage(<ActionScreen />, { at: `/account/action?${query}` });

async function answer(status: number, body: unknown) {
  const found = await nextCall();
  await act(async () => found.request.answer(status, body));
  return found;
}
const checked = async (requestType: string, part: object = {}) => {
  const found = await answer(200, { email, requestType, ...part });
  expect([found.call, found.body]).toEqual(['POST /v1/accounts:resetPassword', { oobCode: 'c' }]);
  await screen.findByRole('heading', { level: 1 });
};
const signIn = (session: ReturnType<typeof open>['session'], localId = 'u1') =>
  act(() =>
    session.signIn(email, false, async () => ({ token: 'id.token', refreshToken: 'r', expiresInSeconds: 3600, localId })),
  );

describe('The link in an email that resets a password', () => {
  it('checks its code, takes a new password, and leads to sign-in', async () => {
    const { user } = open('mode=resetPassword&oobCode=c');
    await checked('PASSWORD_RESET');
    expect(screen.getByText(/For ada@example.org/)).toBeTruthy();
    const field = screen.getByLabelText('New password', { selector: 'input' });
    expect(field.getAttribute('autocomplete')).toBe('new-password');
    await user.type(field, '12345{Enter}');
    expect(screen.getByText('Enter at least 6 characters.')).toBeTruthy();
    expect(FakeRequest.sent).toEqual([]);
    await user.type(field, '6{Enter}');
    expect((await answer(200, {})).body).toEqual({ oobCode: 'c', newPassword: '123456' });
    expect(screen.getByRole('alert').textContent).toBe('Your password has been changed.');
    expect(screen.getByRole('link', { name: 'Sign in' }).getAttribute('href')).toBe('/login');
  });

  it('keeps the form open when the new password is refused, because the emailed code is still valid', async () => {
    const { user } = open('mode=resetPassword&oobCode=c');
    await checked('PASSWORD_RESET');
    await user.type(screen.getByLabelText('New password', { selector: 'input' }), 'secret{Enter}');
    await answer(400, fakeRefusal('PASSWORD_DOES_NOT_MEET_REQUIREMENTS : Missing password requirements: []'));
    expect(screen.getByText(/doesn’t meet the requirements of the sign-in service/)).toBeTruthy();
    expect(document.activeElement).toBe(screen.getByLabelText('New password', { selector: 'input' }));
  });

  it('signs this browser out of the account whose password was reset, because its sessions have all ended', async () => {
    const { user, session } = open('mode=resetPassword&oobCode=c');
    await checked('PASSWORD_RESET');
    await signIn(session);
    await user.type(screen.getByLabelText('New password', { selector: 'input' }), 'secret{Enter}');
    await answer(200, {});
    expect(session.snapshot().state.token).toBeNull();
  });
});

describe('A link in an email that confirms, changes or restores an email address', () => {
  it.each([
    ['verifyEmail', 'VERIFY_EMAIL', {}, 'Confirm', `${email} is confirmed.`],
    [
      'verifyAndChangeEmail',
      'VERIFY_AND_CHANGE_EMAIL',
      { newEmail: 'eva@example.org' },
      'Change address',
      'The address of your account is now eva@example.org. Please sign in with it.',
    ],
    ['recoverEmail', 'RECOVER_EMAIL', {}, 'Restore address', `The address of your account is ${email} again.`],
  ])('takes effect only when the button on its page is clicked: %s', async (mode, requestType, part, button, sentence) => {
    const { user } = open(`mode=${mode}&oobCode=c`);
    await checked(requestType, part);
    expect(FakeRequest.sent).toEqual([]);
    await user.click(screen.getByRole('button', { name: button }));
    const { call, body } = await answer(200, { localId: 'u1', email });
    expect([call, body]).toEqual(['POST /v1/accounts:update', { oobCode: 'c' }]);
    expect(screen.getByRole('alert').textContent).toContain(sentence);
  });

  it.each([
    ['verifyEmail', 'VERIFY_EMAIL', 'Confirm', 'u1', 'id.token'],
    ['verifyAndChangeEmail', 'VERIFY_AND_CHANGE_EMAIL', 'Change address', 'u1', null],
    ['recoverEmail', 'RECOVER_EMAIL', 'Restore address', 'u1', null],
    ['recoverEmail', 'RECOVER_EMAIL', 'Restore address', 'another', 'id.token'],
  ])(
    'ends only the session of that account, and only if its address changed: mode %s (%s, %s), account %s, ID token %j',
    async (mode, requestType, button, localId, token) => {
      const { user, session } = open(`mode=${mode}&oobCode=c`);
      await checked(requestType);
      await signIn(session);
      await user.click(screen.getByRole('button', { name: button }));
      await answer(200, { localId, email });
      expect(session.snapshot().state.token).toBe(token);
      expect(await screen.findByRole('alert')).toBeTruthy();
    },
  );
});

describe('A link in an email that cannot be used', () => {
  it.each(['', 'mode=resetPassword', 'oobCode=c', 'mode=signIn&oobCode=c', 'mode=constructor&oobCode=c'])(
    'shows that it is incomplete, without a request to the server: %j',
    async (query) => {
      open(query);
      expect(screen.getByRole('heading', { name: 'This link doesn’t work' })).toBeTruthy();
      expect(screen.getByRole('alert').textContent).toBe('This link is incomplete or has already been used.');
      expect(FakeRequest.sent).toEqual([]);
    },
  );

  it('shows that the link has expired, and leads to where a new one can be requested', async () => {
    open('mode=resetPassword&oobCode=c');
    await answer(400, fakeRefusal('EXPIRED_OOB_CODE'));
    expect((await screen.findByRole('alert')).textContent).toBe('This link has expired.');
    expect(screen.getByRole('link', { name: 'Get a new link' }).getAttribute('href')).toBe('/login');
  });

  it('shows that it is incomplete if its code was issued for another purpose', async () => {
    open('mode=verifyEmail&oobCode=c');
    await answer(200, { email, requestType: 'PASSWORD_RESET' });
    expect((await screen.findByRole('alert')).textContent).toContain('incomplete');
    expect(screen.queryByRole('button')).toBeNull();
  });
});

it('The screen of an email’s link uses the language of the email, unless another was chosen', async () => {
  preferences.change({ language: null }); // another test of this process may have chosen one
  open('mode=verifyEmail&lang=de');
  expect(await screen.findByRole('heading', { name: 'Dieser Link funktioniert nicht' })).toBeTruthy();
});
