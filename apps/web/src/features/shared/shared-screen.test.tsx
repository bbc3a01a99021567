import type { SharedPrediction } from '@chiffchaff/contract';
import { eventually } from '@chiffchaff/testing';
import { act, screen, waitFor } from '@testing-library/react';
import { Route, Routes } from 'react-router';
import { expect, it } from 'vitest';
import { fakeProblem } from '../../testing/fake-data.ts';
import { answerEveryClient } from '../../testing/fake-identity-service.ts';
import { FakeRequest } from '../../testing/fake-transport.ts';
import { renderPage } from '../../testing/render-page.tsx';
import { SharedScreen } from './shared-screen.tsx';

answerEveryClient();

const shared: SharedPrediction = {
  birds: [
    {
      ...{ scientificName: 'Phylloscopus collybita', commonName: 'Common Chiffchaff', confidenceWord: 'veryLikely' },
      ...{ nearlyCertain: false, confirmed: false, regions: [], clip: { durationSeconds: 7, sound: true } },
    },
    {
      ...{ scientificName: 'Troglodytes troglodytes', commonName: 'Eurasian Wren', confidenceWord: null },
      ...{ nearlyCertain: false, confirmed: true, regions: ['150'], clip: { durationSeconds: 7, sound: false } },
    },
  ],
  month: { year: 2026, month: 5 },
  region: 'DE',
  language: 'en_uk',
  model: { licence: 'CC BY-NC-SA 4.0', attribution: 'Powered by BirdNET' },
};

async function open(status: number, body: unknown): Promise<FakeRequest> {
  const page = renderPage(
    <Routes>
      <Route path="/shared/:token" element={<SharedScreen />} />
    </Routes>,
    { at: '/shared/the-token' },
  );
  // Signed in, to check that even then the request carries no token.
  await page.signIn();
  const asked = await eventually(() => {
    const request = FakeRequest.sent.find(({ url }) => url.includes('/v1/shared/the-token'));
    if (request === undefined) throw new Error('not asked yet');
    return request;
  });
  act(() => asked.answer(status, body));
  return asked;
}

it('The page of a public link shows birds, month, region and attribution, and sends no ID token', async () => {
  const asked = await open(200, shared);
  await waitFor(() => expect(screen.getByRole('heading', { level: 1 }).textContent).toBe('These birds were heard'));
  expect(asked.requestHeaders.authorization).toBeUndefined();
  const text = document.body.textContent;
  for (const part of [
    'May 2026 · Germany',
    'Very likely',
    'Confirmed by the recordist',
    'Lives in Europe',
    'Powered by BirdNET',
    'CC BY-NC-SA 4.0',
  ])
    expect(text).toContain(part);
  expect(screen.getByRole('button', { name: 'Play Common Chiffchaff' })).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Play Eurasian Wren' })).toBeNull();
  expect(document.querySelectorAll('canvas')).toHaveLength(2);
  expect(screen.getByRole('meter', { name: 'Confidence in Common Chiffchaff' }).getAttribute('aria-valuetext')).toBe(
    'Very likely',
  );
  expect(screen.getByRole('link', { name: 'Identify your own recording' }).getAttribute('href')).toBe('/');
  expect(document.querySelector('meta[name="robots"]')?.getAttribute('content')).toBe('noindex, nofollow');
});

it('The page of a public link names no bird in its heading that is only “perhaps” there', async () => {
  const [first] = shared.birds;
  if (first === undefined) throw new Error('There is no bird');
  await open(200, { ...shared, birds: [{ ...first, confidenceWord: 'perhaps', clip: null }] });
  await waitFor(() => expect(screen.getByRole('heading', { level: 1 }).textContent).toBe('Perhaps this bird was heard'));
});

it.each([
  ['fills four squares for a bird that is very likely', false, 4],
  ['fills all five squares for a bird that is nearly certain', true, 5],
])('The page of a public link %s', async (_, nearlyCertain, filled) => {
  await open(200, { ...shared, birds: shared.birds.map((bird) => ({ ...bird, nearlyCertain })) });
  const meter = await screen.findByRole('meter', { name: 'Confidence in Common Chiffchaff' });
  expect(meter.querySelectorAll('[data-filled="true"]')).toHaveLength(filled);
});

it('The page of a public link says that the link does not work, without the reason', async () => {
  await open(404, fakeProblem('NOT_FOUND', { status: 404 }));
  await waitFor(() => expect(screen.getByRole('heading', { level: 1 }).textContent).toBe('This link doesn’t work'));
});
