// `npm run bench:answer`: the longest main-thread tasks while a prediction with 20,000 detections opens, and while its detections are
// opened, sorted and filtered. A user who clicks meanwhile notices a task of more than 100 ms. The page is real, the prediction made up.
import { availableParallelism, cpus, loadavg } from 'node:os';
import type { Page } from 'playwright-core';
import { launchBrowser, openPage } from '../harness/browser.ts';
import { median, round } from '../harness/measures.ts';
import { createAccount, somebody } from '../harness/people.ts';
import { sampleHour } from '../harness/sample-answer.ts';
import { startServer } from '../harness/server.ts';

const ROUNDS = 5;

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

export async function measureAnswer(): Promise<void> {
  const [server, browser] = await Promise.all([startServer({ OPEN_PREDICTION: 'false' }), launchBrowser()]);
  try {
    const { page } = await openPage(browser, server.origin, { viewport: { width: 1280, height: 860 } });
    page.setDefaultTimeout(30_000);
    await page.addInitScript(() => {
      window.longTasks = [];
      new PerformanceObserver((list) => window.longTasks.push(...list.getEntries().map(({ duration }) => duration))).observe({
        type: 'longtask',
      });
    });
    await createAccount(page, somebody());
    const hour = { state: 'done', prediction: sampleHour(), keptAudio: null };
    await page.route('**/v1/predictions/made-up', (route) => route.fulfill({ json: hour }));
    await page.reload();
    const overview = page.locator('article section').first();
    const rows = (count: number) => overview.getByRole('table').getByRole('row').nth(count).waitFor();
    const steps = [
      {
        name: 'the answer opens',
        act: () => goTo(page, '/history/made-up').then(() => overview.getByRole('listitem').first().waitFor()),
      },
      { name: 'the species are sorted by name', act: () => overview.getByLabel('Sort by').selectOption({ index: 3 }) },
      { name: 'the species are filtered', act: () => overview.getByRole('searchbox').fill('Bird 17') },
      {
        name: 'the 500 detections of one are opened',
        act: () =>
          overview
            .getByRole('button', { name: 'Why and when? (Bird 17)' })
            .click()
            .then(() => rows(10)),
      },
      {
        name: 'they are sorted',
        act: () => overview.getByRole('columnheader').last().getByRole('button').click(),
      },
      {
        name: 'a hundred more are shown',
        act: () =>
          overview
            .getByRole('button', { name: /100/ })
            .click()
            .then(() => rows(110)),
      },
      { name: 'all species are shown again', act: () => overview.getByRole('searchbox').fill('') },
    ];
    const found = new Map<string, number[]>(steps.map(({ name }) => [name, []]));
    // The first round also fetches the page's files, so it does not count.
    for (let round = 0; round <= ROUNDS; round += 1) {
      for (const { name, act } of steps) {
        const ms = await longestTask(page, act);
        if (round > 0) found.get(name)?.push(ms);
      }
      await goTo(page, '/history');
      await overview.waitFor({ state: 'detached' });
    }
    process.stdout.write(
      [
        `${cpus()[0]?.model ?? 'unknown'}, ${availableParallelism()} threads; load ${round(loadavg()[0] ?? Number.NaN)}\n`,
        'longest task of the main thread, median and most of five (0: none of 50 ms)\n',
        ...[...found].map(
          ([name, all]) =>
            `${name.padEnd(48)}${`${round(median(all))}, ${round(Math.max(...all))} ms`.padStart(16)}   ≤ 100 ms\n`,
        ),
      ].join(''),
    );
  } finally {
    await browser.close();
    await server.stop();
  }
}
