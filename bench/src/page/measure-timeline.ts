// `npm run bench:page`: how fast the timeline draws, how smoothly it pans, how much memory a tab with three hours of audio takes, and how
// far the playhead is from the audio. The server is real; the three hours are the soundscape in a loop.
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { makeRecording } from '../harness/make-recording.ts';
import { median, round } from '../harness/measures.ts';
import { chooseFiles, createAccount, somebody } from '../harness/people.ts';
import { readTabMemory } from '../harness/processes.ts';
import { fallingNotes, requireSoundscape } from '../harness/recordings.ts';
import { limitedRow } from '../harness/report.ts';
import { withPage } from './with-page.ts';

const LONG_SECONDS = 3 * 3600 - 60;
const rounds = 5;

/** Resolves when the server has answered and the spectrogram has been drawn. */
async function listenTo(page: Page, file: Parameters<typeof chooseFiles>[1]): Promise<void> {
  await page.evaluate(() => performance.clearMarks());
  await chooseFiles(page, file);
  await page.getByRole('button', { name: 'Identify' }).click();
  await page.waitForFunction(() => performance.getEntriesByName('spectrogram-drawn').length > 0, null, { timeout: 900_000 });
}

/** Milliseconds from the decoded samples of an 8-second recording to its complete spectrogram. */
async function measureDrawing(page: Page): Promise<number[]> {
  const times: number[] = [];
  for (let attempt = 0; attempt < rounds; attempt += 1) {
    // Of different lengths, because the page does not analyse a recording again without being asked to.
    await listenTo(page, fallingNotes(8 + attempt / 100));
    times.push(await page.evaluate(() => performance.measure('draw', 'recording-decoded', 'spectrogram-drawn').duration));
    await page.getByRole('button', { name: 'Try another recording' }).click();
  }
  return times;
}

/** Frames a second while it pans back and forth for some seconds, by two hundredths of the view per frame. */
const measurePanning = (plot: Locator): Promise<number> =>
  plot.evaluate(async (element) => {
    const frames = 180;
    const begin = await new Promise<number>(requestAnimationFrame);
    let last = begin;
    for (let index = 0; index < frames; index += 1) {
      const deltaX = (index % 120 < 60 ? 1 : -1) * element.clientWidth * 0.02;
      element.dispatchEvent(new WheelEvent('wheel', { deltaX, bubbles: true, cancelable: true }));
      last = await new Promise<number>(requestAnimationFrame);
    }
    return (1000 * frames) / (last - begin);
  });

/** How far the playhead is from the audio (ms), frame by frame for some seconds. */
async function measureStep(page: Page): Promise<number[]> {
  await page.getByRole('button', { name: 'Play', exact: true }).click();
  return page.evaluate(async () => {
    const audio = document.querySelector('audio');
    const playhead = document.querySelector('[data-testid="playhead"]');
    if (!audio || !(playhead instanceof HTMLElement)) throw new Error('There is no playhead');
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    const begin = audio.currentTime;
    while (audio.currentTime < begin + 0.3) await frame();
    const apart: number[] = [];
    while (apart.length < 480) {
      await frame();
      // After this frame's callbacks, when the state is what will be painted.
      await new Promise<void>((resolve) => {
        const channel = new MessageChannel();
        channel.port1.onmessage = () => resolve();
        channel.port2.postMessage(null);
      });
      apart.push(Math.abs(Number.parseFloat(playhead.style.getPropertyValue('--at')) - audio.currentTime) * 1000);
    }
    audio.pause();
    return apart;
  });
}

export const measureTimeline = (): Promise<boolean> =>
  withPage({}, async ({ page, browser, folder, tell }) => {
    requireSoundscape();
    await createAccount(page, somebody());
    tell(limitedRow('8 s drawn', round(median(await measureDrawing(page))), { unit: 'ms after decoding', most: 100 }));
    const hours = join(folder, 'three-hours.opus');
    await makeRecording(hours, { seconds: LONG_SECONDS, loopSeconds: 119 });
    await listenTo(page, hours);

    const plot = page.getByRole('slider', { name: 'Position in the recording' });
    await plot.scrollIntoViewIfNeeded();
    await plot.press('End');
    await plot.press('Home');
    await plot.click({ position: { x: ((await plot.boundingBox())?.width ?? 0) / 3, y: 40 } });
    let steps = 0;
    for (const zoomTo of [3, 9, 15]) {
      for (; steps < zoomTo; steps += 1) await plot.press('+');
      await page.waitForTimeout(500);
      const found = [await measurePanning(plot), await measurePanning(plot), await measurePanning(plot)];
      tell(limitedRow(`panning 3 h, zoom ${round(1.6 ** steps)}`, round(median(found)), { unit: 'frames a second', least: 50 }));
    }
    // Only the birds that the answer names have a lane at first.
    await page.getByRole('button', { name: /^Show .* less likely birds?$/ }).click();
    const apart = await measureStep(page);
    await (await page.context().newCDPSession(page)).send('HeapProfiler.collectGarbage');
    const memory = round(await readTabMemory(browser));
    tell(limitedRow('memory of the tab', memory, { unit: 'MB with 3 h', most: 300 }));
    tell(
      limitedRow('playhead and sound', round(Math.max(...apart)), {
        unit: `ms apart at most, median ${round(median(apart))}`,
        most: 30,
      }),
    );
  });
