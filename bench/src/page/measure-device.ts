// `npm run bench:device`: an hour analysed on the device (time, memory, cancelling), false alarms of speech on recordings of birds, and
// whether a spoken sentence is caught before upload. Server and model are real. The sentence needs espeak-ng; without it, the voice is
// synthetic.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, cpus, loadavg, tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { sharedPath } from '@chiffchaff/testing/shared-folder';
import type { Browser, Page } from 'playwright-core';
import { launchBrowser, openPage } from '../harness/browser.ts';
import { chooseFiles, openWithModel } from '../harness/device.ts';
import { round } from '../harness/measures.ts';
import { heading } from '../harness/people.ts';
import { type Receiver, startReceiver } from '../harness/received.ts';
import { requireSoundscape, soundscape, syntheticVoice } from '../harness/recordings.ts';
import { startServer } from '../harness/server.ts';
import { readTabMemory } from '../harness/tab-memory.ts';

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

/** Makes a recording of fifteen quiet seconds in which someone speaks from the fifth second on. */
async function spokenSentence(
  folder: string,
): Promise<{ readonly path: string; readonly voice: string; readonly seconds: number }> {
  const [said, path] = [join(folder, 'said.wav'), join(folder, 'sentence.wav')];
  try {
    await run('espeak-ng', [
      '-w',
      said,
      'Did you hear that? I think it was a chiffchaff, over there in the old willow by the river.',
    ]);
  } catch {
    const { name, buffer } = syntheticVoice(15, 5, 11);
    await writeFile(join(folder, name), buffer);
    return { path: join(folder, name), voice: 'made up (espeak-ng is not installed)', seconds: 6 };
  }
  const filter = 'adelay=5000,apad,atrim=0:15';
  await run('ffmpeg', [...quiet, '-i', said, '-af', filter, '-ar', '48000', '-ac', '1', path]);
  const { stdout } = await run('ffprobe', ['-v', 'error', '-show_entries', 'format=duration', '-of', 'csv=p=0', said]);
  return { path, voice: 'espeak-ng', seconds: Number(stdout) };
}

/** Whether the sentence is caught, and the loudest sample that remains of it in the uploaded bytes. */
async function catchSentence(page: Page, receiver: Receiver, path: string, seconds: number) {
  await chooseFiles(page, path);
  await button(page, 'Identify').click();
  const found = await page.getByText(/^Someone speaks/).textContent({ timeout: 60_000 });
  await page.getByText(/a WAV file of/).waitFor();
  await button(page, 'Silence those seconds').click();
  await page.getByRole('heading', { name: 'Look and listen' }).waitFor();
  const sentence = receiver.receivedSound().subarray(5 * 48_000, Math.ceil((5 + seconds) * 48_000));
  return { found, loudest: sentence.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0) };
}

export async function measureDevice(): Promise<void> {
  requireSoundscape();
  const folder = await mkdtemp(join(tmpdir(), 'chiffchaff-device-'));
  const [server, browser] = await Promise.all([startServer(), launchBrowser()]);
  const receiver = await startReceiver(server.origin);
  try {
    const { page } = await openPage(browser, receiver.origin, { viewport: { width: 1280, height: 860 } });
    page.setDefaultTimeout(120_000);
    await openWithModel(page);
    const tell = (name: string, value: string, limit: string) =>
      process.stdout.write(`${name.padEnd(56)}${value.padStart(26)}   ${limit}\n`);
    process.stdout.write(
      `${cpus()[0]?.model ?? 'unknown'}, ${availableParallelism()} threads; load ${round(loadavg()[0] ?? Number.NaN)}\n`,
    );
    const hour = await measureHour(page, browser, folder);
    tell('an hour on the device, × real time', String(round(HOUR_SECONDS / hour.seconds)), '≥ 20');
    tell('memory of the tab meanwhile, most', `${round(hour.memoryMb)} MB`, '≤ 300 MB');
    tell('cancelled after', `${round(hour.cancelMs)} ms`, '≤ 500 ms');
    await page.reload();
    await chooseScreen(page);
    await page.getByText('Options', { exact: true }).click();
    await page.getByRole('radio', { name: 'On the server' }).check();
    const sentence = await spokenSentence(folder);
    const { found, loudest } = await catchSentence(page, receiver, sentence.path, sentence.seconds);
    tell(`a sentence (${sentence.voice})`, found ?? 'missed', 'caught');
    tell('… loudest sample of it in what was sent', String(loudest), '0');
    // A reload would restore the visitor's last result.
    await button(page, 'Try another recording').click();
    await chooseScreen(page);
    const files = await birdRecordings();
    const alarms = await findAlarms(page, files);
    tell(`false alarms of speech in ${files.length} recordings of birds`, String(alarms.length), '');
    for (const name of alarms) process.stdout.write(`  ${name}\n`);
  } finally {
    await browser.close();
    receiver.stop();
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
}
