import type { Detection, KeptAudio, Prediction } from '@chiffchaff/contract';
import { act, screen, waitFor } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { fakeConfig, fakeNamedBird, fakePrediction } from '../../../../testing/fake-data.ts';
import { answerEveryClient } from '../../../../testing/fake-identity-service.ts';
import { FakeRequest } from '../../../../testing/fake-transport.ts';
import { renderPage } from '../../../../testing/render-page.tsx';
import { CompareWithOther, StripSound } from './compare-with-other.tsx';
import { listBirds } from './listed-birds.ts';

answerEveryClient();

const wren = fakeNamedBird({
  ...{ commonName: 'Wren', scientificName: 'Avis Wren', confidence: 0.9, confidenceWord: 'veryLikely' },
  best: { startSeconds: 20, endSeconds: 23 },
});
const predictionOf = (id: string) => {
  const prediction = fakePrediction({ id, candidates: [], detections: [], createdAt: '2026-05-03T06:00:00.000Z' });
  const conditions = { ...prediction.conditions, date: '2026-05-02' };
  return { ...prediction, conditions, verdict: { ...prediction.verdict, kind: 'identified' as const, named: [wren] } };
};

function show(prediction: Prediction, config = fakeConfig) {
  const [bird] = listBirds(prediction).main;
  const sound = { spectrogram: { kind: 'noSound' }, playback: null, durationSeconds: 60 } as const;
  return renderPage(
    <StripSound value={sound}>
      {bird && (
        <CompareWithOther {...{ bird, prediction, isKept: true }} passage={{ startSeconds: 18, endSeconds: 24 }}>
          only here
        </CompareWithOther>
      )}
    </StripSound>,
    { config },
  );
}

/** Shows what there is to compare a wren with, if another recording has this audio. */
async function showWith(keptAudio: KeptAudio | null, detections: readonly Detection[] = []) {
  const prediction = { ...predictionOf('here'), detections: [...detections] };
  const { signIn } = show(prediction);
  await signIn();
  const asked = async (url: RegExp) => {
    await waitFor(() => expect(FakeRequest.sent.some((request) => url.test(request.url))).toBe(true));
    return FakeRequest.sent.splice(0).find((request) => url.test(request.url)) as FakeRequest;
  };
  const { verdict, createdAt } = prediction;
  const summary = { createdAt, fileName: null, durationSeconds: 60, recordedOn: null, place: null, verdict, species: [] };
  const list = await asked(/species=Avis(\+|%20)Wren/);
  const predictions = [
    { ...summary, id: 'here', keptAudio: whole },
    { ...summary, id: 'silent', keptAudio: null },
    { ...summary, id: 'there', keptAudio },
  ];
  await act(async () => list.answer(200, { inWork: [], failed: [], predictions, cursor: null }));
  if (keptAudio === null) return;
  const one = await asked(/predictions\/there$/);
  await act(async () => one.answer(200, { state: 'done', prediction: predictionOf('there'), keptAudio }));
}

const until = { keptUntil: '2027-05-03T06:00:00.000Z' };
const whole: KeptAudio = { kind: 'recording', ...until };
const excerpt = (startSeconds: number, endSeconds: number): KeptAudio => ({
  ...{ kind: 'moments', ...until },
  moments: [{ startSeconds, endSeconds, offsetSeconds: 0 }],
});

it.each([
  ['all of it is kept', whole],
  ['an excerpt with the bird’s best moment is kept', excerpt(18, 25)],
])('A bird’s best moment is compared with that in the latest other recording if %s', async (_why, keptAudio) => {
  await showWith(keptAudio);
  await screen.findByRole('figure', { name: 'Compare Wren' });
  const link = screen.getByRole('link', { name: 'Your recording of May 2, 2026' });
  expect(link.getAttribute('href')).toBe('/history/there');
});

it.each([
  ['no sound of another recording is kept', null],
  ['only excerpts without the bird’s best moment are kept', excerpt(0, 21)],
])('A bird’s best moment is compared with nothing if %s', async (_why, keptAudio) => {
  await showWith(keptAudio);
  await screen.findByText(/^Once another of your recordings has this bird/);
  expect(screen.queryByRole('figure')).toBeNull();
  expect(screen.getByText(/^only here/)).toBeTruthy();
});

it('A bird’s best moment is compared with its next best one at another time if no other recording has the bird', async () => {
  const moment = { ...fakePrediction().detections[0], ...wren, hidden: false } as Detection;
  const moments = [
    [20, 0.9],
    [22, 0.8],
    [40, 0.5],
    [50, 0.7],
  ] as const;
  await showWith(
    null,
    moments.map(([at, score]) => ({ ...moment, startSeconds: at, endSeconds: at + 3, score })),
  );
  const figure = await screen.findByRole('figure', { name: 'Compare Wren' });
  expect(figure.textContent).toMatch(/^At 0:18At 0:49/);
});

it('A bird’s best moment is compared with its reference song if there is one, without asking for other recordings', async () => {
  const path = '/v1/species/Avis%20Wren/song';
  const credits = { author: 'Jane', licence: 'CC0', licenceUrl: null, sourceUrl: 'https://commons.wikimedia.org/wiki/File:X' };
  vi.stubGlobal('fetch', async (url: string) =>
    url.endsWith('/sound') ? new Response('RIFF') : Response.json({ path: `${path}/sound`, durationSeconds: 9, ...credits }),
  );
  show(predictionOf('here'), { ...fakeConfig, speciesPictures: true });
  const figure = await screen.findByRole('figure', { name: 'Compare Wren' });
  expect(figure.textContent).toContain('For comparison: Jane · CC0 · Wikimedia Commons · converted to WAV');
  expect(FakeRequest.sent).toEqual([]);
});
