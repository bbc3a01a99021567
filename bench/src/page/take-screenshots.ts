/**
 * `npm run screenshots`: captures every screen and state, light and dark, narrow and wide, in `.cache/screens`, and copies those that the
 * documents show to `docs/images`.
 */
import { copyFile, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { launchBrowser, openPage } from '../harness/browser.ts';
import { chooseFiles, createAccount, heading, somebody } from '../harness/people.ts';
import { fallingNotes, type RecordingFile, requireSoundscape, soundscape } from '../harness/recordings.ts';
import { startServer } from '../harness/server.ts';

const folder = fileURLToPath(new URL('../../../.cache/screens', import.meta.url));
const images = fileURLToPath(new URL('../../../docs/images', import.meta.url));

const looks = [
  { look: 'wide-light', viewport: { width: 1280, height: 860 }, colorScheme: 'light' },
  { look: 'wide-dark', viewport: { width: 1280, height: 860 }, colorScheme: 'dark' },
  { look: 'narrow-light', viewport: { width: 360, height: 740 }, colorScheme: 'light' },
  { look: 'narrow-dark', viewport: { width: 360, height: 740 }, colorScheme: 'dark' },
] as const;
type Look = (typeof looks)[number];

/** Screen and look of each image in the documents. */
const shown: Readonly<Record<string, string>> = {
  'landing.png': 'landing-wide-light',
  'answer.png': 'answer-wide-light',
  'answer-phone.png': 'answer-narrow-light',
  'timeline.png': 'timeline-wide-dark',
};

const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).first().click();
const noRecording: RecordingFile = {
  name: 'song.wav',
  mimeType: 'audio/wav',
  buffer: Buffer.from('No sound at all. '.repeat(50)),
};

async function takeAll(origin: string, browser: Awaited<ReturnType<typeof launchBrowser>>, { look, ...options }: Look) {
  // The time zone where the soundscape was recorded, as a device there would have it.
  const { page, close } = await openPage(browser, origin, { ...options, timezoneId: 'America/New_York' });
  const take = async (screen: string, { whole = true } = {}) => {
    await page.evaluate(() => document.fonts.ready.then(() => {}));
    await page.waitForTimeout(300);
    await page.screenshot({ path: join(folder, `${screen}-${look}.png`), fullPage: whole });
  };

  const open = async (path: string) => {
    await page.goto(path);
    await page.getByRole('heading', { level: 1 }).waitFor();
  };
  const choose = async (files: Parameters<typeof chooseFiles>[1]) => {
    await page.goto('/process');
    await heading(page, 'Which bird was that?').waitFor();
    await chooseFiles(page, files);
  };

  await open('/');
  await take('landing', { whole: false });
  await take('landing-whole');
  for (const screen of ['toc', 'about', 'login'] as const) {
    await open(`/${screen}`);
    await take(screen, { whole: screen !== 'toc' });
  }
  await press(page, 'I’m new here');
  await take('create-account');

  await createAccount(page, somebody());
  await take('choose');
  await chooseFiles(page, [fallingNotes(3, '20260501_051200.wav')]);
  await take('chosen');

  // Delay the response to capture the progress.
  await page.route('**/get_prediction', async (route) => {
    await page.waitForTimeout(2500);
    await route.continue();
  });
  await press(page, /^Identify/);
  await page.waitForTimeout(1000);
  await take('progress');
  await page.getByRole('heading', { name: 'Look and listen' }).waitFor();
  await page.unroute('**/get_prediction');
  await take('answer-no-bird');

  await choose(soundscape);
  await press(page, /^Identify/);
  await page.getByRole('heading', { name: 'Look and listen' }).waitFor({ timeout: 120_000 });
  await page.waitForTimeout(3000);
  await take('answer', { whole: false });
  await take('answer-whole');
  await page.getByRole('heading', { name: 'Look and listen' }).evaluate((title) => title.scrollIntoView());
  await take('timeline', { whole: false });

  await choose([noRecording]);
  await press(page, /^Identify/);
  await heading(page, 'That didn’t work').waitFor();
  await take('failed');
  for (const screen of ['history', 'account', 'nothing-here'] as const) {
    await open(`/${screen}`);
    await page.waitForTimeout(500);
    await take(screen);
  }
  if (options.viewport.width < 600) {
    await press(page, /menu/i);
    await take('drawer', { whole: false });
  }
  await close();

  const broken = await openPage(browser, origin, options);
  await broken.page.route('**/assets/about-screen*', (route) => route.abort());
  await broken.page.goto('/about');
  await broken.page.getByRole('button', { name: 'Try again' }).waitFor();
  await broken.page.screenshot({ path: join(folder, `failed-to-load-${look}.png`) });
  await broken.close();
}

export async function takeScreenshots(): Promise<void> {
  requireSoundscape();
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await using server = await startServer({ OPEN_PREDICTION: 'false' });
  await using browser = await launchBrowser();
  for (const look of looks) {
    await takeAll(server.origin, browser, look);
    process.stderr.write(`${look.look}\n`);
  }
  for (const [name, taken] of Object.entries(shown)) await copyFile(join(folder, `${taken}.png`), join(images, name));
  process.stdout.write(`The screens are in ${folder}\n`);
}
