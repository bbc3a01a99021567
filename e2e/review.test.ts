import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openPage, shareBrowser } from '@chiffchaff/bench/harness/browser';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { findBarriers } from './accessibility.ts';
import { makeReviewFolder, type RunningReview, startReview } from './review-folder.ts';

describe('The page of `chiffchaff review`', () => {
  let browser: Browser;
  let reviewed: Awaited<ReturnType<typeof makeReviewFolder>>;
  let review: RunningReview;
  beforeAll(async () => {
    browser = await shareBrowser();
    reviewed = await makeReviewFolder(120);
  });
  beforeEach(async () => {
    review = await startReview(reviewed.folder);
  });
  afterEach(() => review?.end('SIGKILL'));
  afterAll(() => reviewed?.remove());

  const labels = async () => (await readFile(join(reviewed.folder, 'labels.csv'), 'utf8')).trimEnd().split('\n').slice(1);
  const shown = (page: Page, name: RegExp) => page.getByRole('heading', { level: 1, name }).waitFor();
  const open = async (look: { width?: number; colorScheme?: 'light' | 'dark'; locale?: string } = {}) => {
    const { width = 1440, ...rest } = look;
    const watched = await openPage(browser, new URL(review.address).origin, { viewport: { width, height: 800 }, ...rest });
    await watched.page.goto(review.address);
    return watched;
  };

  it('keeps labels given by keys when it is killed, and continues where it ended', async () => {
    const { page, faults, close } = await open();
    await shown(page, /^Is Great Tit right\?$/);
    for (const [key, count] of [
      ['y', 'One label'],
      ['n', '2 labels'],
      ['u', '3 labels'],
      ['y', '4 labels'],
    ] as const) {
      await page.locator('canvas').first().waitFor();
      await page.keyboard.press(key);
      await page.getByText(`${count} saved to labels.csv`).waitFor();
    }
    await page.keyboard.press('z');
    await page.getByText('3 labels saved to labels.csv').waitFor();
    await page.getByRole('button', { name: /^Another species/ }).click();
    await page.keyboard.type('Coal Tit');
    await page.keyboard.press('Enter');
    await page.getByText('4 labels saved to labels.csv').waitFor();
    expect(faults).toEqual([]);
    await review.end('SIGKILL');
    await page.keyboard.press('y');
    await page.getByText('The command isn’t responding').waitFor();
    await close();
    const before = await labels();
    // Four labels, one line that undoes a label, and one new label.
    expect(before).toHaveLength(6);
    expect(before.map((line) => line.split(',')[8])).toEqual(['yes', 'no', 'unsure', 'yes', '', 'other']);

    review = await startReview(reviewed.folder);
    const again = await open();
    await shown(again.page, /^Is Great Tit right\?$/);
    await again.page.getByText(/3 labels\./).waitFor();
    await again.page.keyboard.press('y');
    await again.page.getByText('One label saved to labels.csv').waitFor();
    expect(await labels()).toHaveLength(7);
    await again.close();
  });

  it.each([
    { width: 1440, colorScheme: 'light', locale: 'en-GB', question: /^Is Great Tit right\?$/ },
    { width: 390, colorScheme: 'dark', locale: 'de-DE', question: /^Stimmt Great Tit\?$/ },
    { width: 320, colorScheme: 'light', locale: 'de-DE', question: /^Stimmt Great Tit\?$/ },
  ] as const)('is accessible: $width px, $colorScheme, $locale', async ({ question, ...look }) => {
    const { page, faults, close } = await open(look);
    await shown(page, question);
    await page.locator('canvas').first().waitFor();
    expect(await findBarriers(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBe(0);
    expect(faults).toEqual([]);
    await close();
  });

  it('shows no clips to a visitor without the token in its address', async () => {
    const { page, close } = await openPage(browser, new URL(review.address).origin);
    await page.goto('/');
    await page.getByText('The token of this review is missing or wrong.').waitFor();
    expect(await page.getByRole('table').getByRole('row').count()).toBe(1);
    await close();
  });
});
