import { OVERVIEW_BANDS, type SpectrogramQuery } from '@chiffchaff/contract';
import { eventually } from '@chiffchaff/testing';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { createHttpClient } from '../../platform/api/http-client.ts';
import { nextRequest, overFakeTransport, useFakeTransport } from '../../testing/fake-transport.ts';
import { stretchOf } from '../../ui/timeline/spectrogram/tile-grid.ts';
import { openOverviewSource, openServedSource } from '../../ui/timeline/spectrogram/use-spectrogram-source.ts';
import { createServedRecording } from './served-sound.ts';

const window = { startSeconds: 0, endSeconds: 2, maxHz: 15_000, columns: 3, rows: 16 };
const goOn = new AbortController().signal;

const problem = (status: number) => Object.assign(new Error('refused'), { isAxiosError: true, response: { status } });

describe('Audio kept on the server', () => {
  let http: ReturnType<typeof createHttpClient>;
  beforeEach(() => {
    useFakeTransport();
    http = overFakeTransport(createHttpClient('https://api.example.org'));
  });

  it('is drawn as a spectrogram that the page requests for the visible time range', async () => {
    const levels = createServedRecording(async () => http, 'a/b').readLevels(window, goOn);
    const request = await nextRequest();
    expect(`${request.method} ${request.url}`).toBe(
      'GET https://api.example.org/v1/predictions/a%2Fb/spectrogram?startSeconds=0&endSeconds=2&maxHz=15000&columns=3&rows=16',
    );
    expect(request.responseType).toBe('arraybuffer');
    request.answer(200, Uint8Array.from({ length: 48 }, (_, index) => index).buffer);
    expect((await levels)[47]).toBe(47);
  });

  it('is not drawn if the server’s spectrogram has another size than requested', async () => {
    const levels = createServedRecording(async () => http, 'a').readLevels(window, goOn);
    (await nextRequest()).answer(200, new ArrayBuffer(47));
    await expect(levels).rejects.toThrow(RangeError);
  });

  it('is played by a ticket once the server has prepared it', async () => {
    const url = createServedRecording(async () => http, 'a').audioUrl(goOn);
    const request = await nextRequest();
    expect([request.method, request.url, request.body]).toEqual([
      'POST',
      'https://api.example.org/v1/predictions/a/ticket',
      '{"purpose":"audio"}',
    ]);
    request.answer(200, { url: '/v1/audio?ticket=t', expiresAt: '2026-05-01T12:00:00Z' });
    const first = await nextRequest();
    expect([first.url, first.requestHeaders.range]).toEqual(['https://api.example.org/v1/audio?ticket=t', 'bytes=0-0']);
    first.answer(503, { code: 'SOUND_NOT_READY' });
    (await nextRequest()).answer(200, { url: '/v1/audio?ticket=u', expiresAt: '2026-05-01T12:00:00Z' });
    const again = await nextRequest();
    again.answer(206, new ArrayBuffer(1));
    expect(await url).toBe('https://api.example.org/v1/audio?ticket=u');
  });

  it('waits for a server that restarts, however long the restart takes, and says so', async () => {
    vi.useFakeTimers();
    const waits: string[] = [];
    const url = createServedRecording(async () => http, 'a').audioUrl(goOn, (why) => waits.push(why));
    const request = async () => {
      await vi.advanceTimersByTimeAsync(5000);
      return nextRequest();
    };
    (await request()).answer(200, { url: '/v1/audio?ticket=t', expiresAt: '2026-05-01T12:00:00Z' });
    (await request()).answer(503, { code: 'SOUND_NOT_READY' });
    for (let minutes = 0; minutes < 10; minutes += 1) {
      (await request()).breakOff('network');
      await vi.advanceTimersByTimeAsync(60_000);
    }
    (await request()).answer(504, '');
    // The earlier ticket is no longer valid.
    (await request()).answer(200, { url: '/v1/audio?ticket=u', expiresAt: '2026-05-01T12:00:00Z' });
    (await request()).answer(206, new ArrayBuffer(1));
    expect(await url).toBe('https://api.example.org/v1/audio?ticket=u');
    vi.useRealTimers();
    expect([...new Set(waits)]).toEqual(['preparing', 'outOfReach']);
  });

  it('fails to play at once if the server has no audio of the recording', async () => {
    const url = createServedRecording(async () => http, 'a').audioUrl(goOn);
    (await nextRequest()).answer(404, { code: 'NOT_FOUND' });
    await expect(url).rejects.toMatchObject({ response: { status: 404 } });
  });
});

describe('A spectrogram from the server', () => {
  const overviewOf = (get: (url: string, request: { params: SpectrogramQuery }) => Promise<unknown>, signal = goOn) => {
    const answering = Object.assign(createHttpClient(''), { get });
    return openServedSource(
      createServedRecording(async () => answering, 'a'),
      7200,
      signal,
    );
  };

  it('is requested until the server has prepared it, and not again for the same part', async () => {
    vi.useFakeTimers();
    const failures = [problem(503), problem(503), null];
    const get = vi.fn(async (_url: string, { params }: { params: SpectrogramQuery }) => {
      const failure = failures.shift();
      if (failure === null) return { data: new Uint8Array(params.columns * params.rows).fill(7).buffer };
      throw failure ?? new Error('asked once too often');
    });
    const opening = overviewOf(get);
    await vi.advanceTimersByTimeAsync(5000);
    const source = await opening;
    vi.useRealTimers();
    expect(get).toHaveBeenCalledTimes(3);
    expect((await source.measure(stretchOf({ level: 13, index: 0 }, 7200), goOn))[0]).toBe(7);
    expect(get).toHaveBeenCalledTimes(3);
    await expect(source.measure(stretchOf({ level: 0, index: 5 }, 7200), goOn)).rejects.toThrow('asked once too often');
  });

  it.each([400, 401, 403, 404])('is not requested again after the response %d', async (status) => {
    const get = vi.fn(() => Promise.reject(problem(status)));
    await expect(overviewOf(get)).rejects.toThrow('refused');
    expect(get).toHaveBeenCalledTimes(1);
  });

  it('is no longer requested once the page has cancelled the request', async () => {
    const controller = new AbortController();
    const get = vi.fn(() => Promise.reject(problem(503)));
    const opening = overviewOf(get, controller.signal);
    await eventually(() => expect(get).toHaveBeenCalled());
    controller.abort();
    await expect(opening).rejects.toThrow('abort');
    expect(get).toHaveBeenCalledTimes(1);
  });
});

describe('The picture of a long recording', () => {
  const hour = 3600;
  /** A column a second, everywhere at the same level. */
  const overview = new Uint8Array(hour * OVERVIEW_BANDS).fill(40);
  const rows = 64;
  const stretch = (startSeconds: number, endSeconds: number, columns: number) => ({
    ...{ startSeconds, endSeconds, columns, rows, maxHz: 15_000 },
  });
  const readLevels = vi.fn(async ({ columns }: SpectrogramQuery) => new Uint8Array(columns * rows).fill(200));
  const open = (excerpts: readonly { startSeconds: number; endSeconds: number; offsetSeconds: number }[] | null) =>
    openOverviewSource(overview, excerpts && { excerpts, readLevels, audioUrl: () => Promise.reject(new Error('unused')) }, hour);
  const excerpts = [{ startSeconds: 101, endSeconds: 103, offsetSeconds: 0 }];
  beforeEach(() => void readLevels.mockClear());

  it('comes from its overview, which the server need not prepare', async () => {
    const levels = await open(excerpts).measure(stretch(0, hour, 900), goOn);
    expect(new Set(levels)).toEqual(new Set([40]));
    expect(readLevels).not.toHaveBeenCalled();
  });

  it('comes, zoomed in, from the sound where it is kept, and from the overview elsewhere', async () => {
    const levels = await open(excerpts).measure(stretch(100, 104, 40), goOn);
    const columns = Array.from({ length: 40 }, (_, column) => levels[column * rows]);
    expect(columns).toEqual([...Array(10).fill(40), ...Array(20).fill(200), ...Array(10).fill(40)]);
    await open(excerpts).measure(stretch(200, 204, 40), goOn);
    expect(readLevels).toHaveBeenCalledTimes(1);
  });

  it('comes from the overview at any zoom if no sound is kept', async () => {
    expect(new Set(await open(null).measure(stretch(101, 102, 40), goOn))).toEqual(new Set([40]));
  });
});
