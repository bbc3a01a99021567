import { act, screen } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { TERMS_VERSION } from '../../platform/session/terms-version.ts';
import { fakeConfig } from '../../testing/fake-data.ts';
import { answerEveryClient, fakeTokens, nextCall } from '../../testing/fake-identity-service.ts';
import { FakeRequest } from '../../testing/fake-transport.ts';
import { renderPage } from '../../testing/render-page.tsx';
import { LoginScreen } from './login/login-screen.tsx';
import { useSessionNotice } from './session-notice.tsx';

answerEveryClient();

const SessionNotice = () => useSessionNotice();
const present = `${TERMS_VERSION}.1a2b3c4d`;
const agreedTo = (...versions: string[]) => ({
  accepted: versions.map((version) => ({ version, acceptedAt: '2026-05-01T05:00:00Z' })),
});

async function answer(status: number, body: unknown) {
  const found = await nextCall();
  await act(async () => found.request.answer(status, body));
  return found;
}

let stop = () => {};
beforeEach(() => () => stop());

/** Signs in as a user who has agreed to these versions. */
async function signIn(...versions: string[]) {
  const page = renderPage(
    <>
      <SessionNotice />
      <LoginScreen />
    </>,
    { config: { ...fakeConfig, termsFingerprint: '1a2b3c4d' } },
  );
  act(() => {
    stop = page.session.start();
  });
  await page.user.type(screen.getByRole('textbox', { name: 'Email address' }), 'ada@example.org');
  await page.user.type(screen.getByLabelText('Password', { selector: 'input' }), 'secret{Enter}');
  await answer(200, fakeTokens);
  expect((await answer(200, agreedTo(...versions))).call).toBe('GET /v1/account/terms');
  return page;
}

it('The terms of use are shown at the next sign-in to accounts that agreed before the operator completed them', async () => {
  const { user } = await signIn(TERMS_VERSION);
  expect((await screen.findByRole('alert')).textContent).toContain('The terms have changed since you agreed to them.');
  await user.click(screen.getByRole('button', { name: 'I agree' }));
  const { call, body } = await answer(200, agreedTo(present, TERMS_VERSION));
  expect([call, body]).toEqual(['POST /v1/account/terms', { version: present }]);
  await expect.poll(() => screen.queryByRole('alert')).toBeNull();
});

it('The question about the terms of use can be dismissed, which sends nothing', async () => {
  const { user } = await signIn(TERMS_VERSION);
  await user.click(await screen.findByRole('button', { name: 'Not now' }));
  await expect.poll(() => screen.queryByRole('alert')).toBeNull();
  expect(FakeRequest.sent).toEqual([]);
});

it('The terms of use are not shown to accounts that agreed to the present version', async () => {
  await signIn(present, TERMS_VERSION);
  expect(screen.queryByRole('alert')).toBeNull();
});
