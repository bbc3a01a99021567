import { gzipSync } from 'node:zlib';
import { launchBrowser } from '../harness/browser.ts';
import { median } from '../harness/measures.ts';
import { startOnDevicePage } from '../harness/on-device.ts';
import { type Measure, timesRealTime } from './part.ts';

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

/** The recogniser in a browser page, on one thread. */
export const measurePage: Measure = async ({ model, clipSeconds, clips, runs }) => {
  await using browser = await launchBrowser();
  const page = await startOnDevicePage(browser);
  // The first time, the model is fetched; from then on, it comes from the browser's cache.
  await page.open();
  const modelBytes = page.sentOfModel();
  const runtimeBytes = gzipSync(await page.readRuntime(), { level: 9 }).byteLength;
  const sound = Float32Array.from({ length: model.manifest.audio.clipSamples }, (_, index) => 0.3 * Math.sin(index / 5));
  const readyMs: number[] = [];
  const clipMs: number[] = [];
  while (clipMs.length < runs) {
    readyMs.push(await page.open());
    clipMs.push(median(await page.time(sound, clips)));
  }
  const ms = median(clipMs);
  const memory = process.platform === 'linux' ? `${Math.round(await page.memoryMb())} MB for the tab` : 'not known here';
  await page.close();
  return [
    {
      what: 'one clip in a page',
      figure: `${ms.toFixed(1)} ms, ${timesRealTime(clipSeconds, ms / 1000)}; Chromium ${page.browserVersion}`,
    },
    { what: '… ready from cache', figure: `${median(readyMs).toFixed(0)} ms` },
    { what: '… memory', figure: memory },
    { what: '… to fetch', figure: `${megabytes(modelBytes)} of model, ${megabytes(runtimeBytes)} of LiteRT, compressed` },
  ];
};
