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
  /**
   * A fresh address of the sound for an `<audio>` element, once there is one.
   *
   * @param onWait told why it is not there yet, whenever that is asked in vain
   * @throws AxiosError, ZodError
   */
  audioUrl(signal: AbortSignal, onWait?: (why: Wait) => void): Promise<string>;
}

/** Why sound or picture is not here yet; it comes by itself. `preparing`: the server is making it · `outOfReach`: it does not answer. */
export type Wait = 'preparing' | 'outOfReach';

/** The copy is still being made when the answer is already here. */
const readyRetryMs = [500, 1000, 2000, 4000];
const readyWithinMs = 300_000;

/** Why asking again later may help; null when it does not. */
export function waitAfter(error: unknown): Wait | null {
  if (!isAxiosError(error)) return null;
  const { status } = error.response ?? {};
  // 502 and 504 are a proxy's whose server is gone.
  if (status === undefined || status === 502 || status === 504) return 'outOfReach';
  return [409, 429].includes(status) || status >= 500 ? 'preparing' : null;
}

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });

/** Asks again while the server prepares what is asked for, and however long it does not answer: after a restart it goes on. */
async function untilReady<Value>(
  ask: () => Promise<Value>,
  signal: AbortSignal,
  onWait: (why: Wait) => void = () => {},
): Promise<Value> {
  let preparedSince = performance.now();
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await ask();
    } catch (error) {
      signal.throwIfAborted();
      const why = waitAfter(error);
      if (why === 'outOfReach') preparedSince = performance.now();
      if (why === null || performance.now() - preparedSince > readyWithinMs) throw error;
      onWait(why);
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
    async audioUrl(signal, onWait) {
      const http = await openHttp();
      // A ticket is given before there is sound, and an audio element would give up at the first refusal. A restart voids tickets.
      const firstByte = { headers: { Range: 'bytes=0-0' }, validateStatus: (status: number) => status === 200 || status === 206 };
      const ask = async () => {
        const { data } = await http.post<unknown>(`${path}/ticket`, { purpose: 'audio' }, { signal });
        const url = http.getUri({ url: ticketSchema.parse(data).url });
        await http.get(url, { ...firstByte, responseType: 'arraybuffer', signal });
        return url;
      };
      return untilReady(ask, signal, onWait);
    },
  };
}

/**
 * Opens a recording that the server keeps; its overview has arrived when this resolves.
 *
 * @param onWait told why it is not there yet, whenever that is asked in vain
 * @throws AxiosError when the server refuses, or has nothing after five minutes; AbortError when the signal aborts
 */
export async function openServedSource(
  served: ServedRecording,
  durationSeconds: number,
  signal: AbortSignal,
  onWait: (why: Wait) => void = () => {},
  openWorker = openSpectrogramWorker,
): Promise<SpectrogramSource> {
  const wholeTile = stretchOf({ level: coarsestLevel(durationSeconds), index: 0 }, durationSeconds);
  const overview = await untilReady(() => served.readLevels(wholeTile, signal), signal, onWait);
  const worker = openWorker();
  return {
    parallel: 4,
    async measure(window, cancel) {
      const isWhole =
        window.startSeconds === 0 && window.endSeconds === wholeTile.endSeconds && window.columns === wholeTile.columns;
      return isWhole ? overview : untilReady(() => served.readLevels(window, cancel), cancel);
    },
    paint: (levels, rows, palette, cancel) => worker.perform({ kind: 'paint', levels, rows, palette }, cancel),
    close: worker.close,
  };
}
