import { act, screen, waitFor } from '@testing-library/react';
import { Route, Routes } from 'react-router';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { FollowOptions } from '../../platform/sending/follow-prediction.ts';
import { keepDevicePlace } from '../../platform/storage/device-place.ts';
import { fakePrediction, fakeProblem } from '../../testing/fake-data.ts';
import { answerEveryClient } from '../../testing/fake-identity-service.ts';
import { FakeRequest, nextRequest } from '../../testing/fake-transport.ts';
import { renderPage } from '../../testing/render-page.tsx';
import { StoredPredictionScreen } from './stored-prediction-screen.tsx';

answerEveryClient();

const followed = vi.hoisted(() => ({ calls: [] as { id: string; options: FollowOptions; end: () => void }[] }));
// Streams need a browser's `fetch`; following them has its own tests.
vi.mock('../../platform/sending/follow-prediction.ts', () => ({
  followPrediction: (_http: unknown, id: string, options: FollowOptions) =>
    new Promise((resolve) => followed.calls.push({ id, options, end: () => resolve(null) })),
}));

const work = {
  id: 'p-1',
  createdAt: '2026-05-01T05:12:44.120Z',
  fileName: 'night.wav',
  stage: 'queued',
  fraction: null,
  behindOthers: false,
};
const done = (part: object = {}) => ({ state: 'done', prediction: fakePrediction({ id: 'p-1' }), keptAudio: null, ...part });

async function open() {
  const page = renderPage(
    <Routes>
      <Route path="/history/:id" element={<StoredPredictionScreen />} />
      <Route path="*" element={<h1>elsewhere</h1>} />
    </Routes>,
    { at: '/history/p-1' },
  );
  await page.signIn();
  return page;
}
/** Responds to the next request for the prediction, skipping all others. */
async function answer(status: number, body: unknown) {
  for (;;) {
    const request = await nextRequest();
    if (request.url !== '/v1/predictions/p-1') continue;
    await act(async () => request.answer(status, body));
    return request;
  }
}

beforeEach(() => {
  followed.calls = [];
  vi.stubGlobal(
    'fetch',
    vi.fn(async () => Response.json({ ended: 1 })),
  );
});

describe('The page of a stored result', () => {
  it('shows the result unchanged, without buttons to play if no audio was kept', async () => {
    await open();
    await answer(200, done());
    expect(await screen.findByRole('heading', { level: 1, name: 'Common Chiffchaff (Very likely)' })).toBeTruthy();
    expect(screen.getByText('No audio is kept.')).toBeTruthy();
    expect(screen.queryAllByRole('button', { name: /^Play Common Chiffchaff/ })).toEqual([]);
    expect(screen.getByText('Change place')).toBeTruthy();
    expect(screen.getByRole('link', { name: 'All results' }).getAttribute('href')).toBe('/history');
  });

  it('names the place of the recording by its town, unless the place has a name of its own here', async () => {
    keepDevicePlace({ kind: 'place', latitude: 51.5, longitude: -0.13, name: 'London, England' }, 'u1');
    const at = (latitude: number, longitude: number) =>
      fakePrediction({ id: 'p-1', conditions: { ...fakePrediction().conditions, latitude, longitude } });
    const { unmount } = await open();
    await answer(200, done({ prediction: at(48, 7.85), town: 'Freiburg' }));
    expect(await screen.findByText('Place: near Freiburg')).toBeTruthy();
    unmount();
    await open();
    await answer(200, done({ prediction: at(51.5, -0.13), town: 'City of Westminster' }));
    expect(await screen.findByText('Place: near London')).toBeTruthy();
  });

  it('says what audio of the recording is kept, and until when', async () => {
    await open();
    const moments = [{ startSeconds: 1, endSeconds: 4, offsetSeconds: 0 }];
    await answer(200, done({ keptAudio: { kind: 'moments', keptUntil: '2126-06-01T12:00:00.000Z', moments } }));
    expect(await screen.findByText(/^Short clips are kept until .*2126\.$/)).toBeTruthy();
    expect(screen.getAllByRole('button', { name: /Common Chiffchaff/ }).length).toBeGreaterThan(0);
    // Before and after the excerpt; this is not silence.
    expect(screen.getAllByText('not kept')).toHaveLength(2);
    expect(screen.getByText(/^Grey line: audio that wasn’t kept/)).toBeTruthy();
  });

  it('says that the result was not found if it was deleted or belongs to another account', async () => {
    await open();
    await answer(404, fakeProblem('NOT_FOUND', { status: 404 }));
    expect(await screen.findByRole('heading', { level: 1, name: 'Result not found' })).toBeTruthy();
    expect(screen.queryByRole('button', { name: 'Try again' })).toBeNull();
  });

  it('shows the result on another try when the server could not be reached', async () => {
    const { user } = await open();
    (await nextRequest()).breakOff('network');
    await user.click(await screen.findByRole('button', { name: 'Try again' }));
    await answer(200, done());
    expect(await screen.findByRole('heading', { level: 1, name: 'Common Chiffchaff (Very likely)' })).toBeTruthy();
  });

  it('leads to the history once the result is deleted', async () => {
    const { user } = await open();
    await answer(200, done());
    await user.click(await screen.findByRole('button', { name: 'Delete result' }));
    const { method } = await answer(200, { deleted: 1, restorableUntil: null });
    expect(method).toBe('DELETE');
    expect(await screen.findByRole('heading', { name: 'elsewhere' })).toBeTruthy();
    // The deleted result is not asked for again.
    expect(FakeRequest.sent.filter(({ url }) => url === '/v1/predictions/p-1')).toEqual([]);
  });

  it('says why the analysis failed if there is no result', async () => {
    await open();
    await answer(200, { state: 'failed', problem: fakeProblem('RECORDING_DAMAGED', { detail: 'It is damaged.' }) });
    expect((await screen.findByRole('alert')).textContent).toContain('It is damaged.');
    expect(screen.queryByRole('button', { name: 'Try again' })).toBeNull();
  });
});

describe('The page of an analysis begun on another device', () => {
  it('shows its progress, and its result at the end', async () => {
    await open();
    await answer(200, { state: 'inWork', work });
    expect(await screen.findByText('night.wav')).toBeTruthy();
    await waitFor(() => expect(followed.calls).toHaveLength(1));
    const [{ id, options, end } = { id: '', options: null, end: () => {} }] = followed.calls;
    expect(id).toBe('p-1');
    act(() => options?.onAnalysis({ stage: 'listening', fraction: 0.5, behindOthers: false, detections: [] }));
    expect(screen.getAllByText('50% analysed').length).toBeGreaterThan(0);
    await act(async () => end());
    await answer(200, done());
    const title = await screen.findByRole('heading', { level: 1, name: 'Common Chiffchaff (Very likely)' });
    expect(document.activeElement).toBe(title);
  });

  it('can cancel the analysis', async () => {
    const { user } = await open();
    await answer(200, { state: 'inWork', work });
    await user.click(await screen.findByRole('button', { name: 'Cancel' }));
    const told = await answer(200, { deleted: 1, restorableUntil: null });
    expect(told.method).toBe('DELETE');
    expect(await screen.findByRole('heading', { name: 'elsewhere' })).toBeTruthy();
    expect(followed.calls[0]?.options.signal.aborted).toBe(true);
  });
});
