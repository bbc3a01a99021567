// `npm run bench:answer`: the longest main-thread tasks while a prediction with 20,000 detections opens, and while its detections are
// opened, sorted and filtered. A user who clicks meanwhile notices a task of more than 100 ms. The page is real, the prediction made up.
import type { Page } from 'playwright-core';
import { median, round } from '../harness/measures.ts';
import { createAccount, somebody } from '../harness/people.ts';
import { limitedRow } from '../harness/report.ts';
import { sampleHour } from '../harness/sample-answer.ts';
import { withPage } from './with-page.ts';

const ROUNDS = 5;
const MOST_MS = 100;

declare global {
  interface Window {
    /** Durations in milliseconds of tasks of 50 ms and more since the array was last emptied. */
    longTasks: number[];
  }
}

/** Milliseconds of the longest task that an action causes; 0 if none takes 50. */
async function longestTask(page: Page, act: () => Promise<unknown>): Promise<number> {
  // Wait for the effects of the action; nothing signals their end.
  const settle = () => page.waitForTimeout(400);
  await settle();
  await page.evaluate(() => {
    window.longTasks = [];
  });
  await act();
  await settle();
  return page.evaluate(() => Math.max(0, ...window.longTasks));
}

/** Navigates within the visit, like the back button, without fetching the page's own files again. */
const goTo = (page: Page, path: string) =>
  page.evaluate((to) => {
    history.pushState(null, '', to);
    window.dispatchEvent(new PopStateEvent('popstate'));
  }, path);

export const measureAnswer = (): Promise<void> =>
  withPage({}, async ({ page, tell }) => {
    await page.addInitScript(() => {
      window.longTasks = [];
      const observer = new PerformanceObserver((list) =>
        window.longTasks.push(...list.getEntries().map(({ duration }) => duration)),
      );
      observer.observe({ type: 'longtask' });
    });
    await createAccount(page, somebody());
    const hour = { state: 'done', prediction: sampleHour(), keptAudio: null };
    await page.route('**/v1/predictions/made-up', (route) => route.fulfill({ json: hour }));
    await page.reload();
    const overview = page.locator('article section').first();
    const rows = (count: number) => overview.getByRole('table').getByRole('row').nth(count).waitFor();
    const press = (name: string | RegExp) => overview.getByRole('button', { name }).click();
    const steps: Readonly<Record<string, () => Promise<unknown>>> = {
      'the answer opens': () => goTo(page, '/history/made-up').then(() => overview.getByRole('listitem').first().waitFor()),
      'species are sorted by name': () => overview.getByLabel('Sort by').selectOption({ index: 3 }),
      'species are filtered': () => overview.getByRole('searchbox').fill('Bird 17'),
      '500 detections of one are opened': () => press('Why and when? (Bird 17)').then(() => rows(10)),
      'they are sorted': () => overview.getByRole('columnheader').last().getByRole('button').click(),
      'a hundred more are shown': () => press(/100/).then(() => rows(110)),
      'all species are shown again': () => overview.getByRole('searchbox').fill(''),
    };
    const found = new Map(Object.keys(steps).map((name): [string, number[]] => [name, []]));
    // The first round also fetches the page's files, so it does not count.
    for (let round = 0; round <= ROUNDS; round += 1) {
      for (const [name, act] of Object.entries(steps)) {
        const ms = await longestTask(page, act);
        if (round > 0) found.get(name)?.push(ms);
      }
      await goTo(page, '/history');
      await overview.waitFor({ state: 'detached' });
    }
    for (const [name, all] of found)
      tell(limitedRow(name, round(median(all)), { unit: `ms longest task (median of ${ROUNDS})`, most: MOST_MS }));
  });
