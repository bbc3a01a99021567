import type { BirdReview, HeardBefore, Prediction } from '@chiffchaff/contract';
import { act, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { speak } from '../../../../languages/i18n.ts';
import { fakePrediction } from '../../../../testing/fake-data.ts';
import { answerEveryClient } from '../../../../testing/fake-identity-service.ts';
import { FakeRequest } from '../../../../testing/fake-transport.ts';
import { renderPage } from '../../../../testing/render-page.tsx';
import { HeardBefore as Line } from './bird-row.tsx';

answerEveryClient();

const scientificName = 'Phylloscopus collybita';
const TODAY = '2026-05-20';

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: new Date(`${TODAY}T12:00:00Z`) }));
afterEach(async () => {
  vi.useRealTimers();
  await speak('en');
});

async function lineOf(part: Partial<HeardBefore>, conditions: Partial<Prediction['conditions']> = { date: TODAY }) {
  const prediction = fakePrediction({
    id: 'p-1',
    createdAt: `${TODAY}T05:00:00.000Z`,
    conditions: { ...fakePrediction().conditions, ...conditions },
  });
  const { unmount } = renderPage(
    <div data-testid="line">
      <Line prediction={prediction} scientificName={scientificName} />
    </div>,
  );
  const heardBefore = [
    { scientificName: 'Parus major', timesThisYear: 40, lastHeardOn: null },
    { scientificName, timesThisYear: 3, lastHeardOn: null, ...part },
  ];
  await waitFor(() => expect(FakeRequest.sent.at(-1)?.url).toBe('/v1/predictions/p-1'));
  const stored = { state: 'done', prediction, keptAudio: null, heardBefore };
  await act(async () => FakeRequest.sent.at(-1)?.answer(200, stored));
  if (heardBefore[1]?.timesThisYear !== 0) await waitFor(() => expect(screen.getByTestId('line').textContent).not.toBe(''));
  const text = screen.getByTestId('line').textContent;
  unmount();
  FakeRequest.sent.length = 0;
  return text.replace(/^ · /, '');
}

it.each([
  [{ timesThisYear: 1 }, 'New for you'],
  [{ timesThisYear: 1, lastHeardOn: '2025-12-31' }, 'First time this year'],
  [{ timesThisYear: 2, lastHeardOn: '2026-05-19' }, '2nd time this year, last 1 day ago'],
  [{ timesThisYear: 3, lastHeardOn: '2026-05-08' }, '3rd time this year, last 12 days ago'],
  [{ timesThisYear: 11, lastHeardOn: '2026-02-20' }, '11th time this year, last 3 months ago'],
  [{ timesThisYear: 21, lastHeardOn: TODAY }, '21st time this year'],
  [{ timesThisYear: 0, lastHeardOn: '2026-05-08' }, ''],
])(
  'The note about earlier recordings of a bird says how often this year and when before it was heard: %j',
  async (part, text) => {
    expect(await lineOf(part)).toBe(text);
  },
);

it('The note about earlier recordings of a bird calls it new only until the person says that it was there', async () => {
  const at = `${TODAY}T12:00:00.000Z`;
  const of = { scientificName, commonName: 'Common Chiffchaff', to: null, toCommonName: null, at };
  const said: readonly (readonly BirdReview[])[] = [
    [],
    [{ ...of, verdict: 'confirmed' }],
    [{ ...of, scientificName: 'Parus major', verdict: 'corrected', to: scientificName }],
  ];
  renderPage(
    said.map((reviews, row) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: rows stay
      <Line key={row} {...{ prediction: fakePrediction({ id: 'p-1', createdAt: at, reviews: [...reviews] }), scientificName }} />
    )),
  );
  await waitFor(() => expect(FakeRequest.sent).toHaveLength(1));
  const heardBefore = [{ scientificName, timesThisYear: 1, lastHeardOn: null }];
  const stored = { state: 'done', prediction: fakePrediction({ id: 'p-1' }), keptAudio: null, heardBefore };
  await act(async () => FakeRequest.sent.splice(0)[0]?.answer(200, stored));
  const lines = await screen.findAllByText(/New for you/);
  // Its room stays.
  expect(lines.map(({ style }) => style.visibility)).toEqual(['visible', 'hidden', 'hidden']);
});

it('The note about earlier recordings of a bird says nothing if only an imported list has it in this year', async () => {
  renderPage(
    <div data-testid="line">
      <Line prediction={fakePrediction({ id: 'p-1', createdAt: `${TODAY}T05:00:00.000Z` })} scientificName={scientificName} />
      <Line prediction={fakePrediction({ id: 'p-1', createdAt: `${TODAY}T05:00:00.000Z` })} scientificName="Parus major" />
    </div>,
  );
  await waitFor(() => expect(FakeRequest.sent).toHaveLength(1));
  const heardBefore = [
    { scientificName, timesThisYear: 1, lastHeardOn: '2026-01-02' },
    { scientificName: 'Parus major', timesThisYear: 1, lastHeardOn: '2025-01-02' },
  ];
  const stored = { state: 'done', prediction: fakePrediction({ id: 'p-1' }), keptAudio: null, heardBefore };
  await act(async () => FakeRequest.sent.splice(0)[0]?.answer(200, stored));
  await waitFor(() => expect(screen.getByTestId('line').textContent).toBe(' · First time this year'));
});

it('The note about earlier recordings of a bird gives dates instead of “12 days ago” if the recording is not from today, and its year if not from this year', async () => {
  expect(await lineOf({ timesThisYear: 3, lastHeardOn: '2026-05-08' }, { date: '2026-05-10' })).toBe(
    '3rd time this year, last on May 8, 2026',
  );
  expect(await lineOf({ timesThisYear: 1 }, { date: '2025-05-10' })).toBe('First time in 2025');
  expect(await lineOf({ timesThisYear: 2, lastHeardOn: '2025-04-01' }, { date: '2025-05-10' })).toBe(
    '2nd time in 2025, last on April 1, 2025',
  );
});

it('The note about earlier recordings of a bird uses the upload day for a recording without a date', async () => {
  expect(await lineOf({ timesThisYear: 4, lastHeardOn: '2026-05-18' }, { date: null })).toBe(
    '4th time this year, last 2 days ago',
  );
});

it('The note about earlier recordings of a bird is available in German', async () => {
  await speak('de');
  expect(await lineOf({ timesThisYear: 1 })).toBe('Neu für dich');
  expect(await lineOf({ timesThisYear: 1, lastHeardOn: '2025-05-08' })).toBe('Zum ersten Mal in diesem Jahr');
  expect(await lineOf({ timesThisYear: 3, lastHeardOn: '2026-05-08' })).toBe('Zum 3. Mal in diesem Jahr, zuletzt vor 12 Tagen');
});
