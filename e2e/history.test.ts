import { readFile } from 'node:fs/promises';
import { openPage, shareBrowser } from '@chiffchaff/bench/harness/browser';
import { createAccount, heading, somebody } from '@chiffchaff/bench/harness/people';
import { fallingNotes, hoursOfHum, type RecordingFile, soundscape } from '@chiffchaff/bench/harness/recordings';
import { type StartedServer, startServer } from '@chiffchaff/bench/harness/server';
import { needsSharedFolder } from '@chiffchaff/testing/shared-folder';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fromBufferPromise } from 'yauzl';
import { findBarriers } from './accessibility.ts';
import { item, signIn } from './account-actions.ts';

let server: StartedServer;
let browser: Browser;

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: typeof name === 'string' });
const rows = (page: Page) => page.getByRole('region', { name: 'Results' }).getByRole('listitem');
const sidewaysScroll = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);

/** Sends a recording and waits for its answer. */
async function ask(page: Page, file: string | RecordingFile): Promise<void> {
  await page.goto('/process');
  await heading(page, 'Which bird was that?').waitFor();
  await page.getByLabel('Recording', { exact: true }).and(page.locator('input')).setInputFiles(file);
  await button(page, 'Identify').click();
  await page.getByRole('heading', { name: 'Look and listen' }).waitFor();
}

async function openSignedIn(options: Parameters<typeof openPage>[2] = {}) {
  const opened = await openPage(browser, server.origin, options);
  const email = somebody();
  await createAccount(opened.page, email);
  return { ...opened, email };
}

describe('The history', () => {
  beforeAll(async () => {
    [server, browser] = await Promise.all([startServer(), shareBrowser()]);
  });
  afterAll(() => server?.stop());

  it('opens a stored result after a reload, plays its short clips, and recomputes it for another place', {
    tags: ['core'],
  }, async (context) => {
    needsSharedFolder(context);
    const { page, faults, close } = await openSignedIn({ viewport: { width: 1280, height: 900 } });
    await ask(page, soundscape);
    const sentence = await page.getByRole('heading', { level: 1 }).textContent();
    await page.reload();
    await item(page, 'History').click();
    await heading(page, 'Your history').waitFor();
    expect(await item(page, 'History').getAttribute('aria-current')).toBe('page');
    const row = rows(page).filter({ hasText: 'soundscape.flac' });
    expect(await row.textContent()).toContain('with audio');
    await item(page, 'Life list').click();
    await page
      .getByText(/date unknown, uploaded on /)
      .first()
      .waitFor();
    await page.goBack();
    await row.getByRole('link').click();
    await heading(page, sentence ?? '').waitFor();
    await button(page, 'Download').click();
    await page.getByText(/Short clips are kept until/).waitFor();
    const sound = page.waitForEvent('download');
    await button(page, 'Short clips').click();
    expect((await (await sound).path()).length).toBeGreaterThan(0);
    await page.keyboard.press('Escape');
    const play = button(page, 'Play').first();
    await play.click();
    await button(page, 'Pause').first().waitFor();

    await page.locator('summary', { hasText: /Change place|Add the place/ }).click();
    await page.getByText('Advanced', { exact: true }).click();
    await page.getByLabel('Latitude', { exact: true }).fill('-42');
    await page.getByLabel('Longitude', { exact: true }).fill('147');
    await button(page, 'Update result').click();
    await button(page, 'Back to the first result').waitFor();
    expect(await page.getByRole('heading', { level: 1 }).textContent()).not.toBe(sentence);
    expect(await findBarriers(page)).toEqual([]);
    // The new result lasts until the first one is wanted again.
    const changed = await page.getByRole('heading', { level: 1 }).textContent();
    await page.reload();
    await heading(page, changed ?? '').waitFor();
    await page.locator('summary', { hasText: /Change place|Add the place/ }).click();
    await button(page, 'Back to the first result').click();
    await heading(page, sentence ?? '').waitFor();
    await page.reload();
    await heading(page, sentence ?? '').waitFor();
    // Waits for the audio first: requests during the deletion are refused, and the browser logs that.
    await play.click({ trial: true });
    await page.waitForLoadState('networkidle');
    await button(page, 'Delete result').click();
    await heading(page, 'Your history').waitFor();
    await page.getByText('Deleted.', { exact: true }).waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await button(page, 'Undo').click();
    await row.getByRole('link').click();
    await heading(page, sentence ?? '').waitFor();
    // The page retries while the excerpts are being prepared, and the browser logs each refusal.
    expect(faults.filter((fault) => !fault.includes('status of 503'))).toEqual([]);
    await close();
  });

  it.each([
    { name: 'light theme, touch', colorScheme: 'light', viewport: { width: 320, height: 640 }, touch: true },
    { name: 'dark theme, mouse', colorScheme: 'dark', viewport: { width: 1280, height: 860 }, touch: false },
  ] as const)(
    'finds, saves, deletes and restores results, and is accessible: $name',
    { tags: ['core'], timeout: 120_000 },
    async (look) => {
      const { name, colorScheme, viewport, touch } = look;
      const { page, faults, close } = await openSignedIn({ colorScheme, viewport, hasTouch: touch, isMobile: touch });
      const press = (target: ReturnType<typeof button>) => (touch ? target.tap() : target.click());
      const inspect = async (screen: string) => {
        await page.evaluate(() => document.fonts.ready.then(() => {}));
        expect(await findBarriers(page), screen).toEqual([]);
        expect(await sidewaysScroll(page), `${screen}: wider than the window by`).toBe(0);
      };
      await page.goto('/history');
      await page.getByText('Nothing here yet.').waitFor();
      await inspect('history, empty');
      await ask(page, fallingNotes(2, 'garden.wav'));
      await ask(page, fallingNotes(3, '<b>pond.wav'));
      await page.goto('/history');
      await rows(page).nth(1).waitFor();
      expect(await rows(page).first().textContent()).toContain('<b>pond.wav');
      await inspect('history');

      await page.getByRole('searchbox').fill('gard');
      await expect.poll(() => rows(page).count()).toBe(1);
      expect(new URL(page.url()).search).toBe('?search=gard');
      await page.getByRole('searchbox').fill('penguin');
      await page.getByText('No results match this.').waitFor();
      await page.getByRole('searchbox').fill('');
      await expect.poll(() => rows(page).count()).toBe(2);

      if (touch) {
        // On a phone the filters are folded, so that the first answer is visible.
        const first = await rows(page).first().boundingBox();
        expect((first?.y ?? viewport.height) + (first?.height ?? 0)).toBeLessThan(viewport.height);
        await page.locator('summary', { hasText: /^Filters$/ }).tap();
        await inspect('history, filters');
      }
      const month = new Date().toISOString().slice(0, 7);
      await press(button(page, /\d{4}\s*, 2 results$/));
      await expect.poll(() => new URL(page.url()).search).toBe(`?on=${month}`);
      // The days of the month, below the months.
      await page.getByRole('region', { name: 'When' }).getByRole('button').nth(1).waitFor();
      await page.reload();
      await rows(page).nth(1).waitFor();
      await inspect('history, a month');
      await press(button(page, 'Show all'));
      await expect.poll(() => new URL(page.url()).search).toBe('');

      const download = page.waitForEvent('download');
      await press(button(page, 'Download everything (ZIP: results, tables and kept audio)'));
      const saved = await download;
      expect(saved.suggestedFilename()).toMatch(/^chiffchaff-\d{4}-\d\d-\d\d\.zip$/);
      const zip = await fromBufferPromise(await readFile(await saved.path()));
      const paths: string[] = [];
      for await (const entry of zip.eachEntry()) paths.push(entry.fileName);
      expect(paths).toHaveLength(11);
      expect(paths.filter((path) => path.endsWith('/sound.webm'))).toHaveLength(2);
      expect(paths.filter((path) => / garden\/prediction\.json$/.test(path))).toHaveLength(1);
      expect(paths.some((path) => /[<>]/.test(path))).toBe(false);

      const search = page.getByRole('searchbox');
      const searchTop = () => search.evaluate((field) => field.getBoundingClientRect().top + window.scrollY);
      const topBefore = await searchTop();
      await press(button(page, 'Delete garden.wav'));
      await page.getByText('Deleted.', { exact: true }).waitFor();
      await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Undo');
      expect(await searchTop()).toBe(topBefore);
      // At the bottom edge, wherever the page is scrolled to, and on a phone that is turned, too.
      for (const { width, height } of [viewport, { width: viewport.height, height: viewport.width }, viewport]) {
        await page.setViewportSize({ width, height });
        await page.evaluate(() => window.scrollTo(0, 0));
        const box = await button(page, 'Undo').boundingBox();
        expect(box && box.x >= 0 && box.x + box.width <= width && box.y + box.height <= height).toBe(true);
        expect(box && box.y > height - 150).toBe(true);
      }
      await expect.poll(() => rows(page).count()).toBe(1);
      await inspect('history, undo');
      await press(button(page, 'Undo'));
      await expect.poll(() => rows(page).count()).toBe(2);

      await page.goto('/account');
      await press(button(page, 'Delete everything…'));
      await inspect('account, delete all');
      await press(button(page, 'Delete all'));
      await page.getByText('2 deleted.', { exact: true }).waitFor();
      await inspect('account, undo');
      // The offer stays on the next screen.
      await page.getByRole('link', { name: 'About' }).last().click();
      await heading(page, 'About the model').waitFor();
      await press(button(page, 'Undo'));
      await page.getByText('2 deleted.', { exact: true }).waitFor({ state: 'detached' });
      await page.goto('/history');
      await expect.poll(() => rows(page).count()).toBe(2);
      expect(faults).toEqual([]);
      await close();
    },
  );

  it('can be used by keyboard alone, and says which result could not be loaded', { timeout: 120_000 }, async () => {
    const { page, close } = await openSignedIn();
    await ask(page, fallingNotes(2, 'garden.wav'));
    await item(page, 'History').focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => rows(page).count()).toBe(1);
    await page.getByRole('searchbox').focus();
    await page.keyboard.type('garden');
    // Tabs past the filters: town, confirmed, the months, and the button that clears them.
    const tagName = () => page.evaluate(() => document.activeElement?.tagName);
    for (let presses = 0; presses < 8 && (await tagName()) !== 'A'; presses += 1) await page.keyboard.press('Tab');
    expect(await tagName()).toBe('A');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Look and listen' }).waitFor();
    await page.goBack();
    expect(await page.getByRole('searchbox').inputValue()).toBe('garden');
    await rows(page).getByRole('button').focus();
    await page.keyboard.press('Enter');
    await page.getByText('Deleted.', { exact: true }).waitFor();
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Undo');
    await page.keyboard.press('Enter');
    await expect.poll(() => rows(page).count()).toBe(1);

    await page.route('**/v1/predictions?*', (route) => route.abort());
    await page.reload();
    await page.getByRole('alert').first().waitFor();
    await page.unroute('**/v1/predictions?*');
    await button(page, 'Try again').click();
    await expect.poll(() => rows(page).count()).toBe(1);
    await close();
  });

  it('shows no result of an account to the next account that signs in in the same browser', { timeout: 120_000 }, async () => {
    const { page, close } = await openSignedIn();
    await ask(page, fallingNotes(2, 'secret.wav'));
    await page.goto('/history');
    await rows(page).getByRole('link').click();
    await page.getByRole('heading', { name: 'Look and listen' }).waitFor();
    const address = new URL(page.url()).pathname;
    await item(page, 'Logout').click();
    await heading(page, 'Sign in').waitFor();
    await createAccount(page, somebody());
    await item(page, 'History').click();
    await page.getByText('Nothing here yet.').waitFor();
    await page.goto(address);
    await heading(page, 'Result not found').waitFor();
    expect(await page.locator('main').textContent()).not.toContain('secret');
    await close();
  });

  it('shows the progress and the result of an analysis begun on another device whose page was closed', {
    timeout: 240_000,
  }, async () => {
    const first = await openSignedIn();
    // Signed in beforehand, because a fast machine analyses the hour in less time than filling in a form takes.
    const second = await openPage(browser, server.origin);
    const { page } = second;
    await page.goto('/login');
    await signIn(page, first.email);
    await heading(page, 'Which bird was that?').waitFor();

    await first.page.getByLabel('Recording', { exact: true }).and(first.page.locator('input')).setInputFiles(hoursOfHum(1));
    await button(first.page, 'Identify').click();
    await first.page
      .getByText(/\d+% analysed/)
      .first()
      .waitFor();
    await first.close();

    await page.reload();
    const work = page.getByRole('region', { name: 'In progress' });
    await work.getByText(/\d+% analysed/).waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await item(page, 'History').click();
    await heading(page, 'Your history').waitFor();
    await work.getByRole('link', { name: /hum\.wav/ }).click();
    await heading(page, 'Analysing your recording').waitFor();
    await page
      .getByText(/\d+% analysed/)
      .first()
      .waitFor();
    await page.getByRole('heading', { name: 'Look and listen' }).waitFor({ timeout: 180_000 });
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('H1');
    await page.getByRole('link', { name: 'All results' }).click();
    await expect.poll(() => rows(page).count()).toBe(1);
    expect(second.faults).toEqual([]);
    await second.close();
  });
});
