// `npm run bench:answer`: the longest main-thread tasks while a stored prediction with 20,000 detections opens, and while its birds are sorted,
// filtered and opened: a user notices one of more than 100 ms. The page is real, the prediction enlarged.
import type { Prediction } from '@chiffchaff/contract';
import type { Page } from 'playwright-core';
import { askPrediction } from '../harness/api.ts';
import { median, round } from '../harness/measures.ts';
import { createAccount, somebody } from '../harness/people.ts';
import { fallingNotes } from '../harness/recordings.ts';
import { limitedRow } from '../harness/report.ts';
import { withPage } from './with-page.ts';

const ROUNDS = 5;

/** The most detections that a prediction has, 500 of each of 40 birds, in an hour. */
function enlarged({ recording, ...prediction }: Prediction): Prediction {
  const shared = { score: 0.8, confidence: 0.8, occurrence: null };
  const birds = Array.from({ length: 40 }, (_, n) => ({ scientificName: `Avis ${n}`, commonName: `Bird ${n}`, ...shared }));
  const times = Array.from({ length: 500 }, (_, n) => ({ startSeconds: 7 * n, endSeconds: 7 * n + 3, hidden: false }));
  const detections = times.flatMap((time) => birds.map((bird) => ({ ...bird, ...time })));
  const best = { confidenceWord: 'likely' as const, unusualHere: false, best: { startSeconds: 0, endSeconds: 3 } };
  const named = birds.map((bird, index) => ({ ...bird, ...best, rank: index + 1, firstSeconds: 0 }));
  const verdict = { ...prediction.verdict, kind: 'several' as const, named };
  return { ...prediction, recording: { ...recording, durationSeconds: 3600 }, verdict, candidates: named, detections };
}

/** Milliseconds of the longest task that an action causes; 0 if none takes 50. */
async function longestTask(page: Page, act: () => Promise<unknown>): Promise<number> {
  const tasks = await page.evaluateHandle(() => {
    const all: PerformanceEntry[] = [];
    new PerformanceObserver((list) => void all.push(...list.getEntries())).observe({ type: 'longtask' });
    return all;
  });
  await act();
  // Nothing signals the end of its effects.
  await page.waitForTimeout(400);
  return tasks.evaluate((all) => Math.max(0, ...all.map(({ duration }) => duration)));
}

/** Navigates within the visit, like the back button, without fetching the page's own files again. */
const goTo = (page: Page, path: string) =>
  page.evaluate((to) => {
    history.pushState(null, '', to);
    window.dispatchEvent(new PopStateEvent('popstate'));
  }, path);

export const measureAnswer = (): Promise<boolean> =>
  withPage({ isOpen: true }, async ({ page, tell }) => {
    await createAccount(page, somebody());
    const { body } = await askPrediction(new URL(page.url()).origin, fallingNotes(3));
    const answer = { state: 'done', prediction: enlarged(body), keptAudio: null };
    await page.route('**/v1/predictions/made-up', (route) => route.fulfill({ json: answer }));
    const birds = page.locator('article section').first();
    const steps: Readonly<Record<string, () => Promise<unknown>>> = {
      'it opens': () => goTo(page, '/history/made-up').then(() => birds.getByRole('listitem').first().waitFor()),
      'birds are sorted': () => birds.getByLabel('Sort by').selectOption({ index: 3 }),
      'birds are filtered': () => birds.getByRole('searchbox').fill('Bird 17'),
      '500 of one are opened': () => birds.getByRole('button', { name: 'Why and when? (Bird 17)' }).click(),
      'a hundred more': () => birds.getByRole('button', { name: /100/ }).click(),
    };
    const found = Object.entries(steps).map(([name, act]) => ({ name, act, ms: [] as number[] }));
    for (let attempt = 0; attempt <= ROUNDS; attempt += 1) {
      for (const { act, ms } of found) ms.push(await longestTask(page, act));
      await goTo(page, '/history');
      await birds.waitFor({ state: 'detached' });
    }
    // The first round also fetches the page's files, so it does not count.
    for (const { name, ms } of found)
      tell(limitedRow(name, round(median(ms.slice(1))), { unit: `ms longest task (median of ${ROUNDS})`, most: 100 }));
  });
