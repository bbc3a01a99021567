/** `npm run trial -- listen`: memory and frames of live listening. `e2e/listen.test.ts` tests what a killed tab may lose. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { launchBrowser, openPage } from '../harness/browser.ts';
import { makeRecording } from '../harness/make-recording.ts';
import { round } from '../harness/measures.ts';
import { startServer } from '../harness/server.ts';
import { readTabMemory } from '../harness/tab-memory.ts';
import type { TrialResult } from './trial-result.ts';

export interface ListenOptions {
  readonly minutes: number;
  readonly say: (line: string) => void;
}

const FEWEST_FRAMES = 50;
/** Memory at the end, as a multiple of that after the first tenth. */
const MOST_GROWTH = 1.15;

/** Listens in Chromium, with a fake microphone that loops the soundscape. */
export async function runListen({ minutes, say }: ListenOptions): Promise<TrialResult> {
  const folder = await mkdtemp(join(tmpdir(), 'chiffchaff-listen-'));
  const sound = join(folder, 'garden.wav');
  await makeRecording(sound, { seconds: 120 });
  const fake = ['--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream'];
  const server = await startServer();
  const browser = await launchBrowser([...fake, `--use-file-for-fake-audio-capture=${sound}`]);
  try {
    const { page, faults } = await openPage(browser, server.origin, { permissions: ['microphone'] });
    const press = (name: string | RegExp) => page.getByRole('button', { name }).click({ timeout: 120_000 });
    await page.goto('/listen');
    await press(/^Download \(/);
    await press('Start listening');
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
    const found: { readonly framesPerSecond: number; readonly tabMb: number }[] = [];
    while (found.length < minutes) {
      const [before, beganMs] = [await framesOf(), performance.now()];
      await wait(60_000);
      const framesPerSecond = Math.round(((await framesOf()) - before) / ((performance.now() - beganMs) / 1000));
      found.push({ framesPerSecond, tabMb: Math.round(await readTabMemory(browser)) });
      say(`minute ${found.length}: ${framesPerSecond} frames a second, ${found.at(-1)?.tabMb} MB`);
    }
    const isBehind = (await page.getByText('This device is too slow').count()) > 0;
    const species = await page.getByRole('list', { name: 'Birds heard' }).getByRole('listitem').count();
    const stoppedMs = performance.now();
    await press(/^Stop$/);
    await page.getByRole('heading', { name: 'Look and listen' }).waitFor({ timeout: 120_000 });
    const answerMs = Math.round(performance.now() - stoppedMs);
    const growth = round((found.at(-1)?.tabMb ?? Number.NaN) / (found[Math.floor(minutes / 10)]?.tabMb ?? Number.NaN), 2);
    const slowestFrames = Math.min(...found.map(({ framesPerSecond }) => framesPerSecond));
    return {
      report: { minutes: found, species, isBehind, 'from Stop to the answer, ms': answerMs, growth, slowestFrames, faults },
      passed: faults.length === 0 && growth <= MOST_GROWTH && slowestFrames >= FEWEST_FRAMES && !isBehind,
    };
  } finally {
    await browser.close();
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
}
