import { gzipSync } from 'node:zlib';
import { launchBrowser } from '../harness/browser.ts';
import { median } from '../harness/measures.ts';
import { type OnDevicePage, startOnDevicePage } from '../harness/on-device.ts';

/** The speed of the recogniser in a browser page, on one thread. */
export interface PageSpeed {
  readonly browser: string;
  readonly runs: number;
  readonly msPerClip: number;
  readonly timesRealTime: number;
  /** milliseconds to read the files from the browser's cache, verify their hashes and start a worker that is ready for clips */
  readonly msToReady: number;
  /** the part of it for creating the worker and its session */
  readonly msToCreate: number;
  /** private memory of the tab's process after the clips of the last run, MB; null where it cannot be read */
  readonly memoryMb: number | null;
  readonly bytes: { readonly model: number; readonly runtime: number; readonly runtimeCompressed: number };
}

interface MeasureOptions {
  readonly clips: number;
  readonly runs: number;
  readonly clipSamples: number;
  readonly clipSeconds: number;
}

export async function measurePage(options: MeasureOptions): Promise<PageSpeed> {
  const browser = await launchBrowser();
  try {
    return await measure(await startOnDevicePage(browser), options);
  } finally {
    await browser.close();
  }
}

async function measure(page: OnDevicePage, { clips, runs, clipSamples, clipSeconds }: MeasureOptions): Promise<PageSpeed> {
  try {
    await page.open();
    const bytes = {
      model: page.sentOfModel(),
      runtime: page.runtime.byteLength,
      runtimeCompressed: gzipSync(page.runtime, { level: 9 }).byteLength,
    };
    const ready: number[] = [];
    const created: number[] = [];
    const perClip: number[] = [];
    const sound = Float32Array.from({ length: clipSamples }, (_, index) => 0.3 * Math.sin(index / 5));
    for (let run = 0; run < runs; run++) {
      const { obtainMs, createMs } = await page.open();
      ready.push(obtainMs + createMs);
      created.push(createMs);
      perClip.push(median(await page.time(sound, clips)));
    }
    const msPerClip = median(perClip);
    const memoryMb = process.platform === 'linux' ? await page.memoryMb() : null;
    return {
      browser: page.browserVersion,
      runs,
      msPerClip,
      timesRealTime: (1000 * clipSeconds) / msPerClip,
      msToReady: median(ready),
      msToCreate: median(created),
      memoryMb,
      bytes,
    };
  } finally {
    await page.close();
  }
}
