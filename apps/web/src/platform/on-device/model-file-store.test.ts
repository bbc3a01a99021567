import { sha256Of } from '@chiffchaff/recognizer/web';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { fakeCaches } from '../../testing/fake-caches.ts';
import { fakeConfig } from '../../testing/fake-data.ts';
import { addressOf } from './ask-server.ts';
import { fetchAndKeep, keyOf, openModelFileStore } from './model-file-store.ts';

const content = new TextEncoder().encode('the weights of a model');
const ranges: (string | null)[] = [];
let store: ReturnType<typeof fakeCaches>;
let sha256 = '';

/** The page has read its configuration, which says where the files are. */
beforeAll(async () => {
  vi.stubGlobal('fetch', async () => Response.json(fakeConfig));
  await addressOf('');
  vi.unstubAllGlobals();
});
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'], shouldAdvanceTime: true, advanceTimeDelta: 1000 });
  store = fakeCaches();
  vi.stubGlobal('caches', store.caches);
  sha256 = await sha256Of(content.buffer);
  ranges.length = 0;
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** A server that breaks off each response after the given number of bytes. */
function serve(served: Uint8Array<ArrayBuffer>, cuts: number[] = []): void {
  vi.stubGlobal('fetch', async (_url: string, { headers }: RequestInit) => {
    const range = new Headers(headers).get('range');
    ranges.push(range);
    const from = Number(/\d+/.exec(range ?? '0')?.[0]);
    const cut = cuts.shift();
    async function* body() {
      yield served.slice(from, cut === undefined ? undefined : from + cut);
      if (cut !== undefined) throw new TypeError('network error');
    }
    const pieces = body();
    return { status: range === null ? 200 : 206, body: { getReader: () => ({ read: () => pieces.next() }) } };
  });
}

const fileOf = () => ({ name: 'audio.web.data', url: '/model', bytes: content.length, sha256 });
const received: number[] = [];
const fetchIt = async (signal = new AbortController().signal) => {
  received.length = 0;
  await fetchAndKeep(await openModelFileStore(), fileOf(), { signal, onReceived: (bytes) => void received.push(bytes) });
};

describe('A file of the model on this device', () => {
  it('is downloaded once, checked and stored', async () => {
    serve(content);
    await fetchIt();
    expect(store.left()).toEqual([keyOf(fileOf())]);
    expect(received).toEqual([0, content.length]);
  });

  it('resumes its download by a Range request after a lost connection', async () => {
    serve(content, [9, 4]);
    await fetchIt();
    expect(ranges).toEqual([null, 'bytes=9-', 'bytes=13-']);
    expect(store.left()).toEqual([keyOf(fileOf())]);
  });

  it('fails to download when no more bytes arrive, and keeps the bytes that did arrive', async () => {
    serve(content, [9, 0, 0, 0]);
    await expect(fetchIt()).rejects.toMatchObject({ why: 'connection' });
    expect(store.left()).toEqual([`/on-device/parts/${sha256}/0`]);
  });

  it('resumes its download where an earlier visit of the page stopped', async () => {
    const cache = await openModelFileStore();
    await cache.put(`/on-device/parts/${sha256}/0`, new Response(content.slice(0, 9)));
    serve(content);
    await fetchIt();
    expect(ranges).toEqual(['bytes=9-']);
    expect(received[0]).toBe(9);
    expect(store.left()).toEqual([keyOf(fileOf())]);
  });

  it('is refused if its bytes are wrong, and nothing of it is kept', async () => {
    serve(new TextEncoder().encode('the weights of a muddle'.slice(0, content.length)));
    await expect(fetchIt()).rejects.toMatchObject({ why: 'damaged' });
    expect(store.left()).toEqual([]);
  });

  it('is reported as not stored if the disk is full, or if a private window stores nothing', async () => {
    serve(content);
    store.refuse(new DOMException('no room', 'QuotaExceededError'));
    await expect(fetchIt()).rejects.toMatchObject({ why: 'full' });
    store.refuse(new DOMException('private', 'SecurityError'));
    await expect(fetchIt()).rejects.toMatchObject({ why: 'notKept' });
  });
});
