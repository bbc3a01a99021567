import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { fakeCaches } from '../../testing/fake-caches.ts';
import { fakeConfig } from '../../testing/fake-data.ts';
import { deviceModel } from './device-model.ts';
import { mayHaveDeviceModel } from './installed-hint.ts';

const file = { name: 'LICENSE', url: '/v1/on-device/model/ab/LICENSE', bytes: 5, sha256: 'ab' };
const offer = { id: 'm', version: '1', licence: 'CC', attribution: 'Powered by', citation: 'A paper', files: [file] };
const installed = { model: offer, bytes: 5, msPerClip: 70 };

let store: ReturnType<typeof fakeCaches>;
/** The server's responses by path; null takes it offline. */
let answers: { [path: string]: () => Response } | null;

beforeEach(() => {
  store = fakeCaches();
  answers = { '/config.json': () => Response.json(fakeConfig), '/v1/on-device/model': () => Response.json(offer) };
  vi.stubGlobal('isSecureContext', true);
  vi.stubGlobal('caches', store.caches);
  vi.stubGlobal('Worker', class {});
  vi.stubGlobal('fetch', async (url: string, options?: RequestInit) => {
    if (answers === null) throw new TypeError('network error');
    if (options?.method === 'HEAD') return new Response(null, { headers: { 'content-length': '1000' } });
    return answers[url]?.() ?? new Response(null, { status: 404 });
  });
});
afterEach(() => vi.unstubAllGlobals());

const stateNow = async () => {
  await deviceModel.check();
  return deviceModel.snapshot();
};
const keepInstalled = async () => {
  const cache = await store.caches.open('on-device-model');
  await cache.put('/on-device/installed', Response.json(installed));
  await cache.put('/on-device/ab/LICENSE', new Response('terms'));
  await (await store.caches.open('on-device-places')).put('/on-device/places/v1/on-device/regions', new Response('GB'));
};

describe('The model on this device', () => {
  it('is offered with the size of the download, including the runtime', async () => {
    expect(await stateNow()).toEqual({ kind: 'absent', bytes: 1005 });
    expect(mayHaveDeviceModel()).toBe(false);
  });

  it('is unavailable without a secure context, and in a browser that lacks what it needs', async () => {
    vi.stubGlobal('isSecureContext', false);
    expect(await stateNow()).toEqual({ kind: 'unavailable', why: 'insecureContext' });
    vi.stubGlobal('isSecureContext', true);
    vi.stubGlobal('crypto', {});
    expect(await stateNow()).toEqual({ kind: 'unavailable', why: 'unsupported' });
    vi.unstubAllGlobals();
  });

  it('is unavailable if the operator does not offer it, or the server cannot be reached', async () => {
    answers = { '/config.json': () => Response.json(fakeConfig) };
    expect(await stateNow()).toEqual({ kind: 'unavailable', why: 'notOffered' });
    answers = null;
    expect(await stateNow()).toEqual({ kind: 'unavailable', why: 'offline' });
  });

  it('is available without a connection, and offers an update when there is one', async () => {
    await keepInstalled();
    answers = null;
    expect(await stateNow()).toEqual({ kind: 'installed', bytes: 5, hasUpdate: false });
    expect(mayHaveDeviceModel()).toBe(true);
    const files = [{ ...file, sha256: 'cd' }];
    answers = {
      '/config.json': () => Response.json(fakeConfig),
      '/v1/on-device/model': () => Response.json({ ...offer, files }),
    };
    expect(await stateNow()).toEqual({ kind: 'installed', bytes: 5, hasUpdate: true });
  });

  it('is reported as failed because of the connection if the server does not answer in time', async () => {
    answers = null;
    await deviceModel.check();
    vi.stubGlobal('fetch', () => Promise.reject(new DOMException('timed out', 'TimeoutError')));
    await deviceModel.install();
    expect(deviceModel.snapshot()).toMatchObject({ kind: 'failed', why: 'connection' });
  });

  it('resumes its download as soon as the connection is back, and until then reports how many bytes are left', async () => {
    const other = { name: 'NOTICE', url: '/v1/on-device/model/cd/NOTICE', bytes: 7, sha256: 'cd' };
    const cache = await store.caches.open('on-device-model');
    await cache.put('/on-device/ab/LICENSE', new Response('terms'));
    answers = {
      '/config.json': () => Response.json(fakeConfig),
      '/v1/on-device/model': () => Response.json({ ...offer, files: [file, other] }),
      [other.url]: () => new Response(null, { status: 503 }),
    };
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    const cut = deviceModel.install();
    await vi.advanceTimersByTimeAsync(5000);
    await cut;
    expect(deviceModel.snapshot()).toEqual({ kind: 'failed', why: 'connection', bytes: 1007 });
    window.dispatchEvent(new Event('online'));
    expect(deviceModel.snapshot().kind).toBe('downloading');
    vi.useRealTimers();
    await deviceModel.remove();
  });

  it('is removed with everything that was downloaded for it', async () => {
    await keepInstalled();
    await deviceModel.check();
    expect(store.left()).toHaveLength(3);
    await deviceModel.remove();
    expect(store.names()).toEqual([]);
    expect(mayHaveDeviceModel()).toBe(false);
    expect(deviceModel.snapshot()).toEqual({ kind: 'absent', bytes: 1005 });
  });
});
