// `npm run bench:page`: how fast the timeline draws, how smoothly it pans, how much memory a tab with three hours of audio takes, and how
// far the playhead is from the audio. The server is real; only the prediction, levels and audio of the three hours are made up, by
// repeating a real recording, so that the figures are about the page.
import { execFile } from 'node:child_process';
import { open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { CDPSession, Page, Route } from 'playwright-core';
import { chooseFiles } from '../harness/device.ts';
import { median, round } from '../harness/measures.ts';
import { createAccount, somebody } from '../harness/people.ts';
import { fallingNotes, requireSoundscape, soundscape } from '../harness/recordings.ts';
import { limitedRow } from '../harness/report.ts';
import { readTabMemory } from '../harness/tab-memory.ts';
import { withPage } from './with-page.ts';

const run = promisify(execFile);
const longSeconds = 3 * 3600;
const rounds = 5;

interface Answer {
  readonly recording: { readonly durationSeconds: number };
  readonly detections: readonly { readonly startSeconds: number; readonly endSeconds: number }[];
}

/** @returns the server's prediction, once the spectrogram has been drawn */
async function listenTo(page: Page, file: Parameters<typeof chooseFiles>[1]): Promise<Answer> {
  await page.evaluate(() => performance.clearMarks());
  await chooseFiles(page, file);
  const [response] = await Promise.all([
    page.waitForResponse('**/get_prediction', { timeout: 300_000 }),
    page.getByRole('button', { name: 'Identify' }).click(),
  ]);
  await page.waitForFunction(() => performance.getEntriesByName('spectrogram-drawn').length > 0, null, { timeout: 120_000 });
  return response.json();
}

const another = (page: Page) => page.getByRole('button', { name: 'Try another recording' }).click();

/** Milliseconds from the decoded samples of an 8-second recording to its complete spectrogram. */
async function measureDrawing(page: Page): Promise<number[]> {
  const times: number[] = [];
  for (let attempt = 0; attempt < rounds; attempt += 1) {
    await listenTo(page, fallingNotes(8));
    times.push(await page.evaluate(() => performance.measure('draw', 'recording-decoded', 'spectrogram-drawn').duration));
    await another(page);
  }
  return times;
}

/** Makes the page receive three hours that repeat a recording for which the server has just returned a prediction. */
async function makeUpHours(page: Page, answer: Answer, source: string, folder: string): Promise<Answer> {
  const period = answer.recording.durationSeconds;
  const piece = join(folder, 'piece.webm');
  const sound = join(folder, 'hours.webm');
  const quiet = ['-nostdin', '-hide_banner', '-loglevel', 'error', '-y'];
  await run('ffmpeg', [...quiet, '-i', source, '-ac', '1', '-c:a', 'libopus', '-b:a', '64k', piece]);
  const times = String(Math.ceil(longSeconds / period));
  await run('ffmpeg', [...quiet, '-stream_loop', times, '-i', piece, '-c', 'copy', '-t', String(longSeconds), sound]);
  const { size } = await stat(sound);
  const starts = Array.from({ length: Math.floor(longSeconds / period) }, (_, index) => index * period);
  const hours: Answer = {
    ...answer,
    recording: { ...answer.recording, durationSeconds: longSeconds },
    detections: starts.flatMap((start) =>
      answer.detections.map((found) => ({
        ...found,
        startSeconds: start + found.startSeconds,
        endSeconds: start + found.endSeconds,
      })),
    ),
  };

  const sendLevels = (route: Route) => {
    const query = new URL(route.request().url()).searchParams;
    const [columns, rows] = [Number(query.get('columns')), Number(query.get('rows'))];
    const from = Number(query.get('startSeconds'));
    const step = (Number(query.get('endSeconds')) - from) / columns;
    // Falling notes, four a second, in noise. The picture does not matter, but neighbouring bytes must differ.
    const body = Buffer.alloc(columns * rows);
    for (let column = 0; column < columns; column += 1) {
      const note = 1 - (((from + column * step) * 4) % 1);
      for (let row = 0; row < rows; row += 1)
        body[column * rows + row] = ((column * 31 + row * 17) % 60) + (Math.abs(row / rows - note) < 0.04 ? 180 : 0);
    }
    return route.fulfill({ contentType: 'application/octet-stream', body });
  };
  const sendSound = async (route: Route) => {
    const [, first = '0', last = ''] = /bytes=(\d+)-(\d*)/.exec((await route.request().headerValue('range')) ?? '') ?? [];
    const from = Number(first);
    const to = Math.min(size - 1, last === '' ? from + 1_000_000 : Number(last));
    const file = await open(sound);
    const body = Buffer.alloc(to - from + 1);
    await file.read(body, 0, body.length, from);
    await file.close();
    const headers = { 'accept-ranges': 'bytes', 'content-range': `bytes ${from}-${to}/${size}`, 'content-type': 'audio/webm' };
    await route.fulfill({ status: 206, headers, body });
  };
  await page.route('**/get_prediction', (route) => route.fulfill({ json: hours }));
  await page.route('**/v1/predictions/*/spectrogram?*', sendLevels);
  await page.route('**/v1/predictions/*/audio?*', sendSound);
  await page.route('**/v1/predictions/*/ticket', (route) =>
    route.fulfill({ json: { url: '/v1/predictions/hours/audio?ticket=hours', expiresAt: '2100-01-01T00:00:00Z' } }),
  );
  return hours;
}

const cpuMs = async (session: CDPSession): Promise<number> => {
  const { metrics } = await session.send('Performance.getMetrics');
  return 1000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN);
};

/** Pans back and forth for some seconds, by two hundredths of the view per frame. */
async function measurePanning(page: Page, session: CDPSession): Promise<{ fps: number; busyMs: number }> {
  const before = await cpuMs(session);
  const intervals = await page.getByRole('slider', { name: 'Position in the recording' }).evaluate(async (plot) => {
    const frame = () => new Promise<number>((resolve) => requestAnimationFrame(resolve));
    const found: number[] = [];
    let last = await frame();
    for (let index = 0; index < 180; index += 1) {
      const deltaX = (index % 120 < 60 ? 1 : -1) * plot.clientWidth * 0.02;
      plot.dispatchEvent(new WheelEvent('wheel', { deltaX, bubbles: true, cancelable: true }));
      const now = await frame();
      found.push(now - last);
      last = now;
    }
    return found;
  });
  const busyMs = ((await cpuMs(session)) - before) / intervals.length;
  const seconds = intervals.reduce((sum, ms) => sum + ms, 0) / 1000;
  return { fps: intervals.length / seconds, busyMs };
}

/** How far the playhead is from the audio (ms), and how long a wrong passage is marked as sounding, frame by frame for some seconds. */
async function measureStep(page: Page, { detections }: Answer): Promise<{ apart: number[]; markLateMs: number }> {
  await page.getByRole('button', { name: 'Play', exact: true }).click();
  return page.evaluate(async (passages) => {
    const audio = document.querySelector('audio');
    const playhead = document.querySelector('[data-testid="playhead"]');
    if (!audio || !(playhead instanceof HTMLElement)) throw new Error('There is no playhead');
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    const begin = audio.currentTime;
    while (audio.currentTime < begin + 0.3) await frame();
    const apart: number[] = [];
    let wrongSince: number | null = null;
    let markLateMs = 0;
    for (let index = 0; index < 480; index += 1) {
      await frame();
      // After this frame's callbacks, when the state is what will be painted.
      await new Promise<void>((resolve) => {
        const channel = new MessageChannel();
        channel.port1.onmessage = () => resolve();
        channel.port2.postMessage(null);
      });
      const now = audio.currentTime;
      apart.push(Math.abs(Number.parseFloat(playhead.style.getPropertyValue('--at')) - now) * 1000);
      const due = passages.filter(({ startSeconds, endSeconds }) => now >= startSeconds && now < endSeconds).length;
      const marked = document.querySelectorAll('li [data-sounding="true"]').length;
      if (due === marked) wrongSince = null;
      else {
        wrongSince ??= performance.now();
        markLateMs = Math.max(markLateMs, performance.now() - wrongSince);
      }
    }
    audio.pause();
    return { apart, markLateMs };
  }, detections);
}

export const measureTimeline = (): Promise<void> =>
  withPage({}, async ({ page, browser, folder, tell }) => {
    requireSoundscape();
    await createAccount(page, somebody());
    const session = await page.context().newCDPSession(page);
    await session.send('Performance.enable');
    tell(limitedRow('8 s drawn', round(median(await measureDrawing(page))), { unit: 'ms after decoding', most: 100 }));
    const answer = await listenTo(page, soundscape);
    await another(page);
    const hours = await makeUpHours(page, answer, soundscape, folder);
    await listenTo(page, fallingNotes(1, 'three-hours.wav'));

    const plot = page.getByRole('slider', { name: 'Position in the recording' });
    await plot.scrollIntoViewIfNeeded();
    await plot.press('End');
    await plot.press('Home');
    await plot.click({ position: { x: ((await plot.boundingBox())?.width ?? 0) / 3, y: 40 } });
    let steps = 0;
    for (const zoomTo of [3, 9, 15]) {
      for (; steps < zoomTo; steps += 1) await plot.press('+');
      await page.waitForTimeout(500);
      const found = [];
      while (found.length < 3) found.push(await measurePanning(page, session));
      const busy = round(median(found.map(({ busyMs }) => busyMs)), 2);
      const fps = round(median(found.map((each) => each.fps)));
      tell(
        limitedRow(`panning 3 h, zoom ${round(1.6 ** steps)}`, fps, { unit: `frames a second, busy ${busy} ms each`, least: 50 }),
      );
    }
    // Only the birds that the answer names have a lane at first.
    await page.getByRole('button', { name: /^Show .* less likely birds?$/ }).click();
    const { apart, markLateMs } = await measureStep(page, hours);
    await session.send('HeapProfiler.collectGarbage');
    const memory = round(await readTabMemory(browser));
    tell(limitedRow('memory of the tab', memory, { unit: `MB with 3 h and ${hours.detections.length} detections`, most: 300 }));
    tell(
      limitedRow('playhead and sound', round(Math.max(...apart)), {
        unit: `ms apart at most, median ${round(median(apart))}`,
        most: 30,
      }),
    );
    tell(limitedRow('wrong detection marked', round(markLateMs), { unit: 'ms at most', most: 30 }));
  });
