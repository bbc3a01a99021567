import { type KeptMoment, type SpectrogramQuery, ticketSchema } from '@chiffchaff/contract';
import type { AxiosInstance } from 'axios';
import { isAxiosError } from 'axios';
import type { SpectrogramSource } from './spectrogram-source.ts';
import { openSpectrogramWorker } from './spectrogram-worker-client.ts';
import { coarsestLevel, stretchOf } from './tile-grid.ts';

/** A recording's sound as the server keeps it: to be looked at and listened to where the browser cannot do so by itself. */
export interface ServedRecording {
  /** What of the recording the sound holds; absent when all of it. */
  readonly moments: readonly KeptMoment[] | undefined;
  /** Bytes as `GET /v1/predictions/:id/spectrogram` promises them. @throws AxiosError */
  readLevels(query: SpectrogramQuery, signal: AbortSignal): Promise<Uint8Array<ArrayBuffer>>;
  /** A fresh address of the listening copy for an `<audio>` element, once there is one. @throws AxiosError, ZodError */
  audioUrl(signal: AbortSignal): Promise<string>;
}

/** The copy is still being made when the answer is already here. */
const readyRetryMs = [500, 1000, 2000, 4000];
const readyWithinMs = 300_000;

/** Whether asking again later may help: the server is busy or not ready, or was not reached. */
const mayComeLater = (error: unknown): boolean =>
  isAxiosError(error) && (!error.response || [409, 429].includes(error.response.status) || error.response.status >= 500);

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });

async function untilReady<Value>(ask: () => Promise<Value>, signal: AbortSignal): Promise<Value> {
  const startedAt = performance.now();
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await ask();
    } catch (error) {
      if (!mayComeLater(error) || performance.now() - startedAt > readyWithinMs) throw error;
      await pause(readyRetryMs[attempt] ?? 5000, signal);
    }
  }
}

/**
 * @param openHttp the way to the server for whoever is signed in
 * @param id the prediction's, or the idempotency key that its request was sent with
 * @param moments as the prediction's `keptAudio` tells
 */
export function createServedRecording(
  openHttp: () => Promise<AxiosInstance>,
  id: string,
  moments?: readonly KeptMoment[],
): ServedRecording {
  const path = `/v1/predictions/${encodeURIComponent(id)}`;
  return {
    moments,
    async readLevels(query, signal) {
      const http = await openHttp();
      const { data } = await http.get<ArrayBuffer>(`${path}/spectrogram`, { params: query, responseType: 'arraybuffer', signal });
      if (data.byteLength !== query.columns * query.rows) throw new RangeError('The image has another size than asked for');
      return new Uint8Array(data);
    },
    async audioUrl(signal) {
      const http = await openHttp();
      const { data } = await http.post<unknown>(`${path}/ticket`, { purpose: 'audio' }, { signal });
      const url = http.getUri({ url: ticketSchema.parse(data).url });
      // A ticket is given before there is sound, and an audio element would give up at the first refusal.
      const firstByte = { headers: { Range: 'bytes=0-0' }, validateStatus: (status: number) => status === 200 || status === 206 };
      await untilReady(() => http.get(url, { ...firstByte, responseType: 'arraybuffer', signal }), signal);
      return url;
    },
  };
}

/**
 * Opens a recording that the server keeps; its overview has arrived when this resolves.
 *
 * @throws AxiosError when the server refuses, or has nothing after five minutes; AbortError when the signal aborts
 */
export async function openServedSource(
  served: ServedRecording,
  durationSeconds: number,
  signal: AbortSignal,
  openWorker = openSpectrogramWorker,
): Promise<SpectrogramSource> {
  const wholeTile = stretchOf({ level: coarsestLevel(durationSeconds), index: 0 }, durationSeconds);
  const overview = await untilReady(() => served.readLevels(wholeTile, signal), signal);
  const worker = openWorker();
  return {
    parallel: 4,
    async measure(window, cancel) {
      const isWhole =
        window.startSeconds === 0 && window.endSeconds === wholeTile.endSeconds && window.columns === wholeTile.columns;
      return isWhole ? overview : served.readLevels(window, cancel);
    },
    paint: (levels, rows, palette, cancel) => worker.perform({ kind: 'paint', levels, rows, palette }, cancel),
    close: worker.close,
  };
}
