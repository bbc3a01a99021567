import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';
import { launchBrowser, openPage } from '../../harness/browser.ts';
import { makeRecording } from '../../harness/make-recording.ts';
import { startServer } from '../../harness/server.ts';
import { readTabMemory } from '../../harness/tab-memory.ts';
import type { TrialResult } from '../trial-result.ts';

/** Seconds of audio that a killed tab may lose. */
const MOST_LOST_SECONDS = 5;
const FEWEST_FRAMES = 50;
/** Memory at the end, as a multiple of that after the first tenth. */
const MOST_GROWTH = 1.15;

interface Minute {
  readonly minute: number;
  readonly framesPerSecond: number;
  readonly tabMb: number;
}

/** Live listening in Chromium with a fake microphone that loops the soundscape: memory and frames by the minute, then killed tabs. */
export async function listenLong(
  { minutes, kills }: { readonly minutes: number; readonly kills: number },
  say: (line: string) => void,
): Promise<TrialResult> {
  const folder = await mkdtemp(join(tmpdir(), 'chiffchaff-listen-'));
  const sound = join(folder, 'garden.wav');
  await makeRecording(sound, { seconds: 120 });
  const server = await startServer();
  const browser = await launchBrowser([
    '--use-fake-device-for-media-stream',
    '--use-fake-ui-for-media-stream',
    `--use-file-for-fake-audio-capture=${sound}`,
  ]);
  try {
    const { page, faults, close } = await openPage(browser, server.origin, { permissions: ['microphone'] });
    await openListening(page);
    const long = minutes === 0 ? null : await listenFor(browser, page, minutes, say);
    await close();
    const lost: number[] = [];
    for (let kill = 0; kill < kills; kill += 1) {
      lost.push(await killOnce(browser, server.origin, 4 + 10 * Math.random()));
      say(`killed ${kill + 1}: ${lost.at(-1)} s lost`);
    }
    const passed =
      faults.length === 0 &&
      lost.every((seconds) => seconds <= MOST_LOST_SECONDS) &&
      (long === null || (long.growth <= MOST_GROWTH && long.slowestFrames >= FEWEST_FRAMES && !long.isBehind));
    return { report: { long, lost, faults }, passed };
  } finally {
    await browser.close();
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

const startButton = (page: Page) => page.getByRole('button', { name: 'Start listening' });

/** Ends on the listening screen, with the model installed on the device. */
async function openListening(page: Page): Promise<void> {
  await page.goto('/listen');
  await page.getByRole('button', { name: /^Download \(/ }).click({ timeout: 60_000 });
  await startButton(page).waitFor({ timeout: 120_000 });
}

async function listenFor(browser: Browser, page: Page, minutes: number, say: (line: string) => void) {
  await startButton(page).click();
  await page.getByRole('timer').waitFor({ timeout: 60_000 });
  await page.evaluate(() => {
    const counted = { frames: 0 };
    Object.assign(window, { counted });
    const count = () => {
      counted.frames += 1;
      requestAnimationFrame(count);
    };
    count();
  });
  const framesOf = () => page.evaluate(() => Object(window).counted.frames as number);
  const found: Minute[] = [];
  for (let minute = 1; minute <= minutes; minute += 1) {
    const [before, beganMs] = [await framesOf(), performance.now()];
    await wait(60_000);
    const framesPerSecond = Math.round(((await framesOf()) - before) / ((performance.now() - beganMs) / 1000));
    found.push({ minute, framesPerSecond, tabMb: Math.round(await readTabMemory(browser)) });
    say(`minute ${minute}: ${framesPerSecond} frames a second, ${found.at(-1)?.tabMb} MB`);
  }
  const isBehind = (await page.getByText('This device is too slow').count()) > 0;
  const species = await page.getByRole('list', { name: 'Birds heard' }).getByRole('listitem').count();
  const stoppedMs = performance.now();
  await page.getByRole('button', { name: 'Stop', exact: true }).click();
  await page.getByRole('heading', { name: 'Look and listen' }).waitFor({ timeout: 120_000 });
  const answerMs = Math.round(performance.now() - stoppedMs);
  const settled = found[Math.floor(minutes / 10)]?.tabMb ?? Number.NaN;
  const growth = Math.round((100 * (found.at(-1)?.tabMb ?? Number.NaN)) / settled) / 100;
  const slowestFrames = Math.min(...found.map(({ framesPerSecond }) => framesPerSecond));
  return { minutes: found, species, isBehind, 'from Stop to the answer, ms': answerMs, growth, slowestFrames };
}

/** @returns seconds of audio that are missing from the recording offered on the next visit */
async function killOnce(browser: Browser, origin: string, seconds: number): Promise<number> {
  const { page, close } = await openPage(browser, origin, { permissions: ['microphone'] });
  await openListening(page);
  await startButton(page).click();
  await page.getByRole('timer').waitFor({ timeout: 60_000 });
  await wait(1000 * seconds);
  const next = await page.context().newPage();
  const killer = await page.context().newCDPSession(page);
  const crashed = page.waitForEvent('crash');
  const killedMs = Date.now();
  killer.send('Page.crash').catch(() => {});
  await crashed;
  await next.goto('/listen');
  await next.getByRole('button', { name: /^Open the recording from/ }).waitFor({ timeout: 60_000 });
  const [begunMs, kept] = await next.evaluate(async () => {
    const recordings = await (await navigator.storage.getDirectory()).getDirectoryHandle('recordings');
    for await (const id of recordings.keys()) {
      const iso = id.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z$/, '$1-$2-$3T$4:$5:$6.$7Z');
      const file = await (await (await recordings.getDirectoryHandle(id)).getFileHandle('sound.wav')).getFile();
      return [Date.parse(iso), (file.size - 44) / 96_000] as const;
    }
    return [Number.NaN, Number.NaN] as const;
  });
  await close();
  return Math.round(((killedMs - begunMs) / 1000 - kept) * 10) / 10;
}
