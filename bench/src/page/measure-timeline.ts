// `npm run bench:page`: how fast the timeline draws, how smoothly it pans, how much memory a tab with three hours of audio takes, and how
// far the playhead is from the audio. The server is real; only the prediction, levels and audio of the three hours are made up, by
// repeating a real recording, so that the figures are about the page.
import { execFile } from 'node:child_process';
import { mkdtemp, open, rm, stat } from 'node:fs/promises';
import { availableParallelism, cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Browser, CDPSession, Page, Route } from 'playwright-core';
import { launchBrowser, openPage } from '../harness/browser.ts';
import { median, percentile, round } from '../harness/measures.ts';
import { createAccount, somebody } from '../harness/people.ts';
import { fallingNotes, requireSoundscape, soundscape } from '../harness/recordings.ts';
import { startServer } from '../harness/server.ts';
import { readTabMemory } from '../harness/tab-memory.ts';

const run = promisify(execFile);
const longSeconds = 3 * 3600;
const rounds = 5;

interface Answer {
  readonly recording: { readonly durationSeconds: number };
  readonly detections: readonly { readonly startSeconds: number; readonly endSeconds: number }[];
}

/** Prints an interim result. */
const say = (line: string) => process.stderr.write(`${line}\n`);

const choose = (page: Page, file: Parameters<ReturnType<Page['locator']>['setInputFiles']>[0]) =>
  page.getByLabel('Recording', { exact: true }).and(page.locator('input')).setInputFiles(file);

/** @returns the server's prediction, once the spectrogram has been drawn */
async function listenTo(page: Page, file: Parameters<typeof choose>[1]): Promise<Answer> {
  await page.evaluate(() => performance.clearMarks());
  await choose(page, file);
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
async function measurePanning(page: Page, session: CDPSession): Promise<{ fps: number; worstMs: number; busyMs: number }> {
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
  return { fps: intervals.length / seconds, worstMs: percentile(intervals, 0.99), busyMs };
}

/** Memory of the tab's process, and the part of it that is the JavaScript heap (MB). */
async function measureMemory(browser: Browser, session: CDPSession): Promise<{ heapMb: number; processMb: number }> {
  await session.send('HeapProfiler.collectGarbage');
  const { metrics } = await session.send('Performance.getMetrics');
  const heapMb = (metrics.find(({ name }) => name === 'JSHeapUsedSize')?.value ?? Number.NaN) / 1e6;
  return { heapMb, processMb: await readTabMemory(browser) };
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

export async function measureTimeline(): Promise<void> {
  requireSoundscape();
  const folder = await mkdtemp(join(tmpdir(), 'chiffchaff-bench-'));
  const [server, browser] = await Promise.all([startServer({ OPEN_PREDICTION: 'false' }), launchBrowser()]);
  try {
    const { page } = await openPage(browser, server.origin, { viewport: { width: 1280, height: 860 } });
    page.setDefaultTimeout(120_000);
    await createAccount(page, somebody());
    const session = await page.context().newCDPSession(page);
    await session.send('Performance.enable');

    const drawing = await measureDrawing(page);
    say(`drawn after ${drawing.map((ms) => round(ms)).join(', ')} ms`);
    const answer = await listenTo(page, soundscape);
    await another(page);
    const hours = await makeUpHours(page, answer, soundscape, folder);
    await listenTo(page, fallingNotes(1, 'three-hours.wav'));

    const plot = page.getByRole('slider', { name: 'Position in the recording' });
    await plot.scrollIntoViewIfNeeded();
    await plot.press('End');
    await plot.press('Home');
    await plot.click({ position: { x: ((await plot.boundingBox())?.width ?? 0) / 3, y: 40 } });
    const panning: { readonly zoomedBy: number; readonly fps: number; readonly worstMs: number; readonly busyMs: number }[] = [];
    let steps = 0;
    for (const zoomTo of [3, 9, 15]) {
      for (; steps < zoomTo; steps += 1) await plot.press('+');
      await page.waitForTimeout(500);
      const found = [];
      for (let attempt = 0; attempt < 3; attempt += 1) found.push(await measurePanning(page, session));
      say(`panning: ${found.map(({ fps, busyMs }) => `${round(fps)}/s, busy ${round(busyMs)} ms a frame`).join('; ')}`);
      panning.push({
        zoomedBy: round(1.6 ** steps),
        fps: round(median(found.map(({ fps }) => fps))),
        worstMs: round(median(found.map(({ worstMs }) => worstMs))),
        busyMs: round(median(found.map(({ busyMs }) => busyMs)), 2),
      });
    }
    // Only the birds that the answer names have a lane at first.
    await page.getByRole('button', { name: /^Show .* less likely birds?$/ }).click();
    const { apart, markLateMs } = await measureStep(page, hours);
    say(`apart: ${round(median(apart))}, ${round(percentile(apart, 0.95))}, ${round(Math.max(...apart))} ms`);
    const memory = await measureMemory(browser, session);
    say(`memory: ${round(memory.processMb)} MB`);

    const result = {
      processor: `${cpus()[0]?.model ?? 'unknown'}, ${availableParallelism()} threads`,
      load: round(loadavg()[0] ?? Number.NaN),
      drawMs: { median: round(median(drawing)), all: drawing.map((ms) => round(ms)) },
      passages: hours.detections.length,
      panning,
      memoryMb: { heap: round(memory.heapMb), process: round(memory.processMb) },
      apartMs: {
        median: round(median(apart)),
        p95: round(percentile(apart, 0.95)),
        most: round(Math.max(...apart)),
        mark: round(markLateMs),
      },
    };
    const line = (name: string, value: string, limit: string) => `${name.padEnd(64)}${value.padStart(22)}   ${limit}\n`;
    process.stdout.write(
      [
        `${result.processor}; load ${result.load}\n`,
        line('8 s drawn after decoding (median)', `${result.drawMs.median} ms`, '< 100 ms'),
        ...panning.map(({ zoomedBy, fps, worstMs, busyMs }) =>
          line(`panning 3 h zoomed ${zoomedBy} times (busy ${busyMs} ms a frame)`, `${fps}/s, 99 % < ${worstMs} ms`, '≥ 50/s'),
        ),
        line(`memory of the tab with 3 h and ${result.passages} passages`, `${result.memoryMb.process} MB`, '< 300 MB'),
        line('of that the heap of scripts', `${result.memoryMb.heap} MB`, ''),
        line(
          'playhead and sound apart (median, 95 %, most)',
          `${result.apartMs.median}, ${result.apartMs.p95}, ${result.apartMs.most} ms`,
          '< 30 ms',
        ),
        line('a passage marked too late or too long (most)', `${result.apartMs.mark} ms`, '< 30 ms'),
        `${JSON.stringify(result)}\n`,
      ].join(''),
    );
  } finally {
    await browser.close();
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
}
