import { globSync, statSync } from 'node:fs';
import { mkdtempDisposable, readFile, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Answer } from '@chiffchaff/recognizer';
import type { Browser } from 'playwright-core';
import { build, type InlineConfig, preview } from 'vite';
import type { OnDevice } from '../page/on-device/page.ts';
import { openPage } from './browser.ts';
import { readTabMemory } from './processes.ts';
import { installed } from './server.ts';

const headers = {
  /** Allows only same-origin scripts, workers and requests, WebAssembly, and `data:` images. */
  'content-security-policy':
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'; img-src data:",
  // As the real server says of what never changes: Chromium then caches the compiled code of the runtime.
  'cache-control': 'public, max-age=31536000, immutable',
};

export type OnDevicePage = Awaited<ReturnType<typeof startOnDevicePage>>;

/** The recogniser in a browser page, with the model for browsers. Serves it on a free local port, with a strict security policy. */
export async function startOnDevicePage(browser: Browser) {
  await using opening = new AsyncDisposableStack();
  const { path: outDir } = opening.use(await mkdtempDisposable(join(tmpdir(), 'chiffchaff-page-')));
  const config: InlineConfig = {
    root: fileURLToPath(new URL('../page/on-device/', import.meta.url)),
    configFile: false,
    logLevel: 'error',
    worker: { format: 'es' },
    build: { outDir, assetsInlineLimit: 0, modulePreload: { polyfill: false } },
    preview: { host: '127.0.0.1', port: 0, headers },
  };
  await build(config);
  await symlink(installed.modelFolder, join(outDir, 'model'));
  const server = await preview(config);
  opening.defer(() => server.close());
  const origin = new URL(server.resolvedUrls?.local[0] ?? '').origin;
  const { page, faults, close } = await openPage(browser, origin);
  opening.defer(close);
  let sentOfModel = 0;
  page.on('response', (response) => {
    const { pathname } = new URL(response.url());
    if (pathname.startsWith('/model/')) sentOfModel += statSync(join(outDir, pathname)).size;
  });
  let sounds = 0;
  /** @returns the path at which the page finds the samples */
  const offer = async (samples: Float32Array): Promise<string> => {
    sounds += 1;
    await writeFile(join(outDir, `sound-${sounds}`), samples);
    return `/sound-${sounds}`;
  };
  const held = opening.move();
  return {
    browserVersion: browser.version(),
    faults,
    /** LiteRT as the page fetches it: Chromium knows relaxed SIMD. */
    readRuntime: () => readFile(globSync(`${outDir}/assets/litert_wasm_internal*.wasm`)[0] ?? 'LiteRT'),
    /** Bytes of model files sent so far. */
    sentOfModel: () => sentOfModel,
    /** Loads the page and the model. From the second call on, the model comes from the browser's cache. @returns `readyMs` */
    async open(): Promise<OnDevice['readyMs']> {
      await page.goto('/');
      return page.evaluate(async () => (await window.openOnDevice()).readyMs);
    },
    async logits(samples: Float32Array): Promise<Float32Array> {
      return Float32Array.from(await page.evaluate((path) => window.onDevice?.logits(path) ?? [], await offer(samples)));
    },
    async conclude(samples: Float32Array): Promise<Answer> {
      const answer = await page.evaluate((path) => window.onDevice?.conclude(path), await offer(samples));
      if (answer === undefined) throw new Error('The model is not loaded');
      return answer;
    },
    async time(samples: Float32Array, runs: number): Promise<number[]> {
      return page.evaluate(([path, count]) => window.onDevice?.time(path, count) ?? [], [await offer(samples), runs] as const);
    },
    /** Private memory of the tab's process, MB. Linux only. */
    memoryMb: () => readTabMemory(browser),
    close: () => held.disposeAsync(),
  };
}
