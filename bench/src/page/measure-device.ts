// `npm run bench:device`: an hour analysed on the device (time, memory, cancelling), and false alarms of speech on recordings of birds.
// Server and model are real. `e2e/device-files.test.ts` tests that a voice is found before a recording is sent.
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { sharedPath } from '@chiffchaff/testing/shared-folder';
import type { Browser, Page } from 'playwright-core';
import { chooseFiles, openWithModel } from '../harness/device.ts';
import { round } from '../harness/measures.ts';
import { heading } from '../harness/people.ts';
import { requireSoundscape, soundscape } from '../harness/recordings.ts';
import { limitedRow } from '../harness/report.ts';
import { readTabMemory } from '../harness/tab-memory.ts';
import { withPage } from './with-page.ts';

const run = promisify(execFile);
const data = sharedPath('data');
const HOUR_SECONDS = 3600;
const MOST_RECORDINGS = 100;

const quiet = ['-nostdin', '-hide_banner', '-loglevel', 'error', '-y'];
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const chooseScreen = (page: Page) => heading(page, 'Which bird was that?').waitFor();

/** Seconds to analyse an hour at 44.1 kHz, the tab's peak memory meanwhile (MB), and how long cancelling takes (ms). */
async function measureHour(page: Page, browser: Browser, folder: string) {
  const hour = join(folder, 'hour.flac');
  const loop = ['-stream_loop', '-1', '-i', soundscape, '-t', String(HOUR_SECONDS), '-ar', '44100'];
  await run('ffmpeg', [...quiet, ...loop, hour]);
  await chooseFiles(page, hour);
  await button(page, 'Identify').click();
  await page.getByText(/\d+% analysed/).waitFor();
  const cancelledAt = performance.now();
  await button(page, 'Cancel').click();
  await chooseScreen(page);
  const cancelMs = performance.now() - cancelledAt;

  const startedAt = performance.now();
  await button(page, 'Identify').click();
  const answered = page.getByRole('heading', { name: 'Look and listen' }).waitFor({ timeout: 1_800_000 });
  let memoryMb = 0;
  let isOver = false;
  const over = answered.finally(() => {
    isOver = true;
  });
  while (!isOver) {
    memoryMb = Math.max(memoryMb, await readTabMemory(browser));
    await Promise.race([over, new Promise((resolve) => setTimeout(resolve, 1000))]);
  }
  await over;
  const seconds = (performance.now() - startedAt) / 1000;
  await button(page, 'Try another recording').click();
  return { seconds, memoryMb, cancelMs };
}

/** Paths of recordings of birds from the test split, which no person is known to be in. */
async function birdRecordings(): Promise<string[]> {
  const table = await readFile(join(data, 'recordings.tsv'), 'utf8');
  return table
    .split('\n')
    .map((line) => line.split('\t'))
    .filter(([, split, , , group]) => split === 'test' && group === 'bird')
    .slice(0, MOST_RECORDINGS)
    .map(([file = '']) => join(data, 'recordings', file));
}

/** The requests that upload recordings: whole, or in pieces. */
const SENDING = /\/get_prediction$|\/v1\/uploads/;

/** Whether speech is found in a recording. Uploads nothing. */
async function isAlarm(page: Page, file: string): Promise<boolean> {
  await chooseFiles(page, file);
  await button(page, 'Identify').click();
  const asked = button(page, 'Don’t upload it');
  const refused = heading(page, 'That didn’t work');
  await asked.or(refused).waitFor({ timeout: 300_000 });
  const isAsked = await asked.isVisible();
  await (isAsked ? asked : button(page, 'Choose another recording')).click();
  await button(page, `Remove ${basename(file)}`).click();
  return isAsked;
}

/** The names of recordings in which speech is found. @throws Error that names the recording for which the page did something else */
async function findAlarms(page: Page, files: readonly string[]): Promise<string[]> {
  const alarms: string[] = [];
  await page.route(SENDING, (route) => route.abort());
  for (const file of files) {
    try {
      if (await isAlarm(page, file)) alarms.push(basename(file));
    } catch (error) {
      throw new Error(`${basename(file)}: the page shows ${await page.locator('main').innerText()}`, { cause: error });
    }
  }
  await page.unroute(SENDING);
  return alarms;
}

export const measureDevice = (): Promise<void> =>
  withPage({ isOpen: true }, async ({ page, browser, folder, tell }) => {
    requireSoundscape();
    await openWithModel(page);
    const hour = await measureHour(page, browser, folder);
    tell(limitedRow('an hour', round(HOUR_SECONDS / hour.seconds), { unit: '× real time', least: 20 }));
    tell(limitedRow('memory of the tab', round(hour.memoryMb), { unit: 'MB', most: 300 }));
    tell(limitedRow('cancelled after', round(hour.cancelMs), { unit: 'ms', most: 500 }));
    await page.reload();
    await chooseScreen(page);
    await page.getByText('Options', { exact: true }).click();
    await page.getByRole('radio', { name: 'On the server' }).check();
    const files = await birdRecordings();
    const alarms = await findAlarms(page, files);
    tell({
      what: 'false alarms',
      figure: `${alarms.length} of speech in ${files.length} recordings of birds ${alarms.join(', ')}`,
    });
  });
