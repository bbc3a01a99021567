import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openPage, shareBrowser } from '@chiffchaff/bench/harness/browser';
import { heading, password, passwordField, somebody } from '@chiffchaff/bench/harness/people';
import { fallingNotes, type RecordingFile } from '@chiffchaff/bench/harness/recordings';
import { type StartedServer, startServer } from '@chiffchaff/bench/harness/server';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findBarriers } from './accessibility.ts';

let server: StartedServer;
let browser: Browser;

const texts = {
  en: {
    ...{ recording: 'Recording', title: 'Which bird was that?', identify: 'Identify', anywhere: 'Anywhere', change: 'Change' },
    ...{ another: 'Try another recording', done: 'Done', nowhere: 'anywhere in the world' },
    ...{ several: 'Identify 3 recordings', answered: '3 of 3 analysed.', download: 'Download all (CSV)' },
    ...{ list: 'List', next: 'Next recording', previous: 'Previous recording' },
  },
  de: {
    ...{ recording: 'Aufnahme', title: 'Welcher Vogel war das?', identify: 'Bestimmen', anywhere: 'Egal wo', change: 'Ändern' },
    ...{ another: 'Andere Aufnahme ausprobieren', done: 'Fertig', nowhere: 'irgendwo auf der Welt' },
    ...{ several: '3 Aufnahmen bestimmen', answered: '3 von 3 analysiert.', download: 'Alles herunterladen (CSV)' },
    ...{ list: 'Liste', next: 'Nächste Aufnahme', previous: 'Vorherige Aufnahme' },
  },
};
const phone = { width: 390, height: 664 };
const looks = [
  { name: 'phone, light, en', language: 'en', colorScheme: 'light', viewport: phone, touch: true, tags: [] },
  { name: 'phone, dark, de', language: 'de', colorScheme: 'dark', viewport: phone, touch: true, tags: ['core'] },
  {
    name: 'narrow, light, de',
    language: 'de',
    colorScheme: 'light',
    viewport: { width: 320, height: 568 },
    touch: true,
    tags: [],
  },
  {
    name: 'wide, dark, en',
    language: 'en',
    colorScheme: 'dark',
    viewport: { width: 1440, height: 900 },
    touch: false,
    tags: ['core'],
  },
  {
    name: 'wide, light, de',
    language: 'de',
    colorScheme: 'light',
    viewport: { width: 1440, height: 900 },
    touch: false,
    tags: [],
  },
] as const;

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: typeof name === 'string' });
const choose = (page: Page, label: string, files: readonly RecordingFile[]) =>
  page
    .getByLabel(label, { exact: true })
    .and(page.locator('input:not([webkitdirectory])'))
    .setInputFiles([...files]);

/** Records the fields of sent forms without the file; the browser's request log has only the fact that a form was sent. */
const keepForms = (page: Page) =>
  page.addInitScript(() => {
    const { send } = XMLHttpRequest.prototype;
    XMLHttpRequest.prototype.send = function keep(body) {
      if (body instanceof FormData) document.documentElement.dataset.sent = JSON.stringify([...body]);
      send.call(this, body);
    };
  });
const sentFields = async (page: Page): Promise<{ readonly [name: string]: string }> =>
  Object.fromEntries(JSON.parse(await page.evaluate(() => document.documentElement.dataset.sent ?? '[]')));
async function inspect(page: Page, name: string) {
  await page.evaluate(() => document.fonts.ready.then(() => {}));
  expect(await findBarriers(page), name).toEqual([]);
  const sideways = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  expect(sideways, `${name}: wider than the window by`).toBe(0);
}

describe('From a file to a result,', () => {
  beforeAll(async () => {
    [server, browser] = await Promise.all([startServer(), shareBrowser()]);
  });
  afterAll(() => server?.stop());

  for (const { name, language, colorScheme, viewport, touch, tags } of looks)
    it(`the page needs one screen, asks once for the place, and says which place it assumes: ${name}`, {
      tags: [...tags],
    }, async () => {
      const { page, faults, close } = await openPage(browser, server.origin, {
        ...{ colorScheme, viewport, hasTouch: touch, isMobile: touch },
        ...{ locale: language === 'en' ? 'en-GB' : 'de-DE', timezoneId: 'Europe/London' },
      });
      const words = texts[language];
      await keepForms(page);
      await page.goto('/process');
      await heading(page, words.title).waitFor();
      await inspect(page, `first, ${name}`);
      expect(await page.getByText(/drop or paste|zieh Aufnahmen/).isVisible()).toBe(!touch);
      await choose(page, words.recording, [fallingNotes(2, '20260515_051200.wav')]);
      const identify = button(page, words.identify);
      await page.getByText('20260515_051200.wav').first().waitFor();
      await inspect(page, `chosen, ${name}`);
      const bottomOf = async (part: ReturnType<typeof button>) => {
        const box = await part.boundingBox();
        return (box?.y ?? Number.NaN) + (box?.height ?? Number.NaN);
      };
      expect(await bottomOf(identify)).toBeLessThanOrEqual(viewport.height);
      expect(await page.evaluate(() => window.scrollY)).toBe(0);
      await button(page, /^Men[uü]$/).click();
      expect(await button(page, /Keyboard shortcuts|Tastenkürzel/).isVisible()).toBe(!touch);
      await page.keyboard.press('Escape');
      await identify.click();
      await page.locator('article').waitFor();
      expect(await sentFields(page)).toMatchObject({ timeZone: 'Europe/London', date: '2026-05-15' });

      await page.goto('/process');
      await button(page, words.another).click();
      await heading(page, words.title).waitFor();
      await page.getByText(/around London|Raum London/).waitFor();
      await inspect(page, `assumed, ${name}`);
      await button(page, words.anywhere).click();
      await button(page, words.change).click();
      await inspect(page, `fields, ${name}`);
      await page.getByText(words.done, { exact: true }).click();
      await choose(page, words.recording, [fallingNotes(2, '20260515_051200.wav')]);
      await page.evaluate(() => window.scrollTo(0, 0));
      // The file, the place and the button are on the first screen.
      const file = page.getByText('20260515_051200.wav').first();
      await file.waitFor();
      const chip = page.getByText(new RegExp(words.nowhere, 'i')).first();
      const top = (await identify.boundingBox())?.y ?? Number.NaN;
      expect(await bottomOf(identify)).toBeLessThanOrEqual(viewport.height);
      expect(await bottomOf(chip)).toBeLessThanOrEqual(top);
      await identify.click();
      await page.locator('article').waitFor();
      expect(await sentFields(page)).not.toHaveProperty('timeZone');
      expect(faults).toEqual([]);
      await close();
    });

  for (const { name, language, colorScheme, viewport, touch, tags } of looks)
    it(`the page lists the birds of several recordings, opens each, and saves all together: ${name}`, {
      tags: [...tags],
    }, async () => {
      const { page, faults, close } = await openPage(browser, server.origin, {
        ...{ colorScheme, viewport, hasTouch: touch, isMobile: touch, locale: language === 'en' ? 'en-GB' : 'de-DE' },
      });
      const words = texts[language];
      await page.goto('/process');
      await heading(page, words.title).waitFor();
      const files = ['20260515_051200.wav', 'a_second_recording_with_a_rather_long_name.wav', '20260516_051200.wav'];
      await choose(
        page,
        words.recording,
        files.map((file, index) => fallingNotes(index + 2, file)),
      );
      await page.getByText(/\b9 s\b/).waitFor();
      await inspect(page, `three chosen, ${name}`);
      await button(page, words.several).click();
      await page.getByText(words.answered).waitFor();
      await page.evaluate(() => window.scrollTo(0, 0));
      await inspect(page, `list, ${name}`);
      const row = (index: number) => page.getByRole('button', { name: new RegExp(`^${files[index]}`) }).first();
      await row(1).click();
      await page.locator('article').getByText(String(files[1])).waitFor();
      await page.waitForFunction(() => document.activeElement?.tagName === 'H1' && window.scrollY === 0);
      await inspect(page, `answer of several, ${name}`);
      if (touch) {
        expect(await row(0).count()).toBe(0);
        await button(page, words.next).click();
        await page.locator('article').getByText(String(files[2])).waitFor();
        expect(await button(page, words.next).isDisabled()).toBe(true);
        await button(page, words.previous).click();
        await page.locator('article').getByText(String(files[1])).waitFor();
        await button(page, words.list).click();
        await page.locator('article').waitFor({ state: 'detached' });
        expect(await row(1).evaluate((element) => element === document.activeElement)).toBe(true);
      } else {
        // The list stays in its place while the answer beside it scrolls.
        const top = async () => (await row(0).boundingBox())?.y ?? Number.NaN;
        const article = await page.locator('article').boundingBox();
        expect(article?.width).toBeGreaterThanOrEqual(640);
        await page.evaluate(() => window.scrollTo(0, 600));
        expect(await top()).toBeGreaterThan(0);
        expect(await row(1).getAttribute('aria-current')).toBe('true');
        await page.evaluate(() => window.scrollTo(0, 0));
      }
      const download = page.waitForEvent('download');
      await button(page, words.download).click();
      const table = await readFile(await (await download).path(), 'utf8');
      expect(table).toMatch(/^\ufeffStart \(s\),End \(s\),/);
      for (const file of table
        .trim()
        .split('\n')
        .slice(1)
        .map((row) => row.split(',')[8]))
        expect(files).toContain(file);
      expect(faults).toEqual([]);
      await close();
    });

  it('the page stays responsive with a folder of 200 recordings', async () => {
    const { page, close } = await openPage(browser, server.origin);
    await page.goto('/process');
    const folder = await mkdtemp(join(tmpdir(), 'chiffchaff-folder-'));
    const { buffer } = fallingNotes(1);
    await Promise.all(Array.from({ length: 200 }, (_, index) => writeFile(join(folder, `AM_${index}.WAV`), buffer)));
    await writeFile(join(folder, 'CONFIG.TXT'), 'gain 30');
    await page.evaluate(() => {
      new PerformanceObserver((list) => {
        const longest = Math.max(
          Number(document.body.dataset.longest ?? 0),
          ...list.getEntries().map(({ duration }) => duration),
        );
        document.body.dataset.longest = String(longest);
      }).observe({ type: 'longtask' });
    });
    await page.locator('input[webkitdirectory]').setInputFiles(folder);
    await page.getByText('200 recordings, ', { exact: false }).and(page.locator('p:not([role])')).waitFor();
    await page.getByText('One other file in that folder was skipped').waitFor();
    await page.getByText(/200 recordings, 3 min 20 s, /).waitFor({ timeout: 60_000 });
    expect(Number(await page.evaluate(() => document.body.dataset.longest ?? '0'))).toBeLessThan(2000);
    await close();
    await rm(folder, { recursive: true });
  });

  it('the page keeps the result of a visitor who signs in afterwards', { tags: ['core'] }, async () => {
    const { page, close } = await openPage(browser, server.origin, { viewport: phone, hasTouch: true, isMobile: true });
    await page.goto('/');
    await page.getByText('To upload a recording, tick the box').waitFor();
    await page.getByRole('checkbox').check();
    await page.getByRole('link', { name: 'Start' }).click();
    await choose(page, 'Recording', [fallingNotes(2, 'visitor.wav')]);
    await button(page, 'Identify').click();
    await page.locator('article').waitFor();
    await inspect(page, 'answer of a visitor');
    await page.reload();
    await page.getByText('The page was reloaded', { exact: false }).waitFor();
    await page.locator('article').waitFor();
    await inspect(page, 'answer of a visitor, loaded again');
    await button(page, 'Try another recording').click();
    await choose(page, 'Recording', [fallingNotes(2, 'visitor.wav')]);
    await button(page, 'Identify').click();
    await page.getByRole('link', { name: 'Sign in to save or correct it' }).click();
    await button(page, 'I’m new here').click();
    await page.getByLabel('Email address').fill(somebody());
    await passwordField(page).fill(password);
    await page.getByRole('checkbox', { name: /I agree to the Terms and Conditions/ }).check();
    await button(page, 'Create account').click();
    await page.getByText('Saved to your history.').waitFor();
    await inspect(page, 'answer that was kept');
    await button(page, 'Menu').click();
    await page.getByRole('dialog').getByRole('link', { name: 'History' }).click();
    await page.getByText('visitor.wav').waitFor();
    await close();
  });
});
