import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Answer } from '@chiffchaff/recognizer';
import type { Browser } from 'playwright-core';
import { build, type Rolldown } from 'vite';
import type { OnDevice } from '../page/on-device/page.ts';
import { openPage } from './browser.ts';
import { installed } from './server.ts';
import { readTabMemory } from './tab-memory.ts';

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.wasm': 'application/wasm',
};

/** Allows only same-origin scripts, workers and requests, WebAssembly, and `data:` images. */
const policy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'; img-src data:";

export type OnDevicePage = Awaited<ReturnType<typeof startOnDevicePage>>;

/** The recogniser in a browser page, with the model for browsers. Serves it on a free local port, with a strict security policy. */
export async function startOnDevicePage(browser: Browser) {
  const built = await buildPage();
  // Chromium knows relaxed SIMD.
  const runtime = [...built].find(([path]) => /litert_wasm_internal[^/]*\.wasm$/.test(path))?.[1];
  if (runtime === undefined) throw new Error('The page was built without LiteRT');
  let sentOfModel = 0;
  let sound: Uint8Array = new Uint8Array();
  const contentOf = async (path: string): Promise<Uint8Array | null> => {
    if (path === '/sound') return sound;
    if (!path.startsWith('/model/')) return built.get(path === '/' ? '/index.html' : path) ?? null;
    const bytes = await readFile(join(installed.modelFolder, path.slice('/model/'.length)));
    sentOfModel += bytes.byteLength;
    return bytes;
  };
  const server = createServer(async (request, response) => {
    const path = new URL(request.url ?? '/', 'http://page').pathname;
    const content = await contentOf(path);
    const type = types[extname(path === '/' ? '/index.html' : path)] ?? 'application/octet-stream';
    response.writeHead(content === null ? 404 : 200, {
      'content-type': type,
      'content-security-policy': policy,
      'content-length': content?.byteLength ?? 0,
      // As the real server does: Chromium caches the compiled code of a runtime that never changes.
      ...(path.startsWith('/assets/') && { 'cache-control': 'public, max-age=31536000, immutable' }),
    });
    response.end(content);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The page has no port');
  const { page, faults, close } = await openPage(browser, `http://127.0.0.1:${address.port}`);

  const offer = (samples: Float32Array): void => {
    sound = new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength);
  };
  return {
    browserVersion: browser.version(),
    faults,
    /** LiteRT as the page fetches it. */
    runtime,
    /** Bytes of model files sent so far. */
    sentOfModel: () => sentOfModel,
    /** Loads the page and the model. From the second call on, the model comes from the browser's cache. */
    async open(): Promise<Pick<OnDevice, 'obtainMs' | 'createMs'>> {
      await page.goto('/');
      return page.evaluate(async () => {
        const { obtainMs, createMs } = await window.openOnDevice();
        return { obtainMs, createMs };
      });
    },
    async logits(samples: Float32Array): Promise<Float32Array> {
      offer(samples);
      return Float32Array.from(await page.evaluate(() => window.onDevice?.logits('/sound') ?? []));
    },
    async conclude(samples: Float32Array): Promise<Answer> {
      offer(samples);
      const answer = await page.evaluate(() => window.onDevice?.conclude('/sound'));
      if (answer === undefined) throw new Error('The model is not loaded');
      return answer;
    },
    async time(samples: Float32Array, runs: number): Promise<number[]> {
      offer(samples);
      return page.evaluate((count) => window.onDevice?.time('/sound', count) ?? [], runs);
    },
    /** Private memory of the tab's process, MB. Linux only. */
    memoryMb: () => readTabMemory(browser),
    async close(): Promise<void> {
      await close();
      server.closeAllConnections();
      server.close();
    },
  };
}

/** The built files by their paths. */
async function buildPage(): Promise<ReadonlyMap<string, Uint8Array>> {
  const result = await build({
    root: fileURLToPath(new URL('../page/on-device/', import.meta.url)),
    configFile: false,
    logLevel: 'error',
    worker: { format: 'es' },
    build: { write: false, assetsInlineLimit: 0, modulePreload: { polyfill: false } },
  });
  const { output } = (Array.isArray(result) ? result[0] : result) as Rolldown.RolldownOutput;
  return new Map(
    output.map((file) => {
      const content = file.type === 'chunk' ? file.code : file.source;
      return [`/${file.fileName}`, typeof content === 'string' ? Buffer.from(content) : content];
    }),
  );
}
