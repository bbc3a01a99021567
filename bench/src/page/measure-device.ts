// `npm run bench:device`: an hour analysed on the device (time, memory, cancelling), and live listening (memory, frames). Server and model are
// real. `e2e/listen.test.ts` tests what a killed tab may lose.
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { makeRecording } from '../harness/make-recording.ts';
import { round } from '../harness/measures.ts';
import { chooseFiles, heading, openWithModel } from '../harness/people.ts';
import { readTabMemory } from '../harness/processes.ts';
import { limitedRow } from '../harness/report.ts';
import { withPage } from './with-page.ts';

const HOUR_SECONDS = 3600;
const LISTENED_MINUTES = 10;

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

/** Seconds to analyse an hour, the tab's peak memory meanwhile (MB), and how long cancelling takes (ms). */
async function measureHour(page: Page, browser: Browser, folder: string) {
  const hour = join(folder, 'hour.flac');
  await makeRecording(hour, { seconds: HOUR_SECONDS, loopSeconds: 119 });
  await chooseFiles(page, hour);
  await button(page, 'Identify').click();
  await page.getByText(/\d+% analysed/).waitFor();
  const cancelledAt = performance.now();
  await button(page, 'Cancel').click();
  await heading(page, 'Which bird was that?').waitFor();
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
  return { seconds, memoryMb, cancelMs };
}

/** Memory of the tab (MB) and frames a second, in each minute of live listening. */
async function measureListening(page: Page, browser: Browser) {
  await page.goto('/listen');
  await button(page, 'Start listening').click();
  await page.getByRole('timer').waitFor();
  const minutes: { readonly memoryMb: number; readonly framesPerSecond: number }[] = [];
  while (minutes.length < LISTENED_MINUTES) {
    const framesPerSecond = await page.evaluate(async () => {
      const begin = performance.now();
      let frames = 0;
      for (; performance.now() - begin < 60_000; frames += 1) await new Promise(requestAnimationFrame);
      return frames / 60;
    });
    minutes.push({ memoryMb: await readTabMemory(browser), framesPerSecond });
  }
  await button(page, 'Stop').click();
  await page.getByRole('heading', { name: 'Look and listen' }).waitFor();
  return minutes;
}

export async function measureDevice(): Promise<boolean> {
  await using made = await mkdtempDisposable(join(tmpdir(), 'chiffchaff-device-'));
  const microphone = join(made.path, 'garden.wav');
  await makeRecording(microphone, { seconds: 120 });
  return withPage({ isOpen: true, microphone }, async ({ page, browser, folder, tell }) => {
    await openWithModel(page);
    const hour = await measureHour(page, browser, folder);
    tell(limitedRow('an hour', round(HOUR_SECONDS / hour.seconds), { unit: '× real time', least: 20 }));
    tell(limitedRow('memory of the tab', round(hour.memoryMb), { unit: 'MB', most: 300 }));
    tell(limitedRow('cancelled after', round(hour.cancelMs), { unit: 'ms', most: 500 }));
    const minutes = await measureListening(page, browser);
    const growth = (minutes.at(-1)?.memoryMb ?? Number.NaN) / (minutes[1]?.memoryMb ?? Number.NaN);
    const unit = `times the memory after ${LISTENED_MINUTES} minutes of listening as after two`;
    tell(limitedRow('listening, memory', round(growth, 2), { unit, most: 1.15 }));
    const fps = round(Math.min(...minutes.map(({ framesPerSecond }) => framesPerSecond)));
    tell(limitedRow('listening, frames', fps, { unit: 'a second, in the slowest minute', least: 50 }));
  });
}
