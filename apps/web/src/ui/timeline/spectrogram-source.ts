import type { SpectrogramImage, SpectrogramRequest } from '../../workers/spectrogram/messages.ts';
import type { SpectrogramView } from '../../workers/spectrogram/spectrogram.ts';

/** Images of one decoded recording. Its samples live in the worker only: never in React state, never twice. */
export interface SpectrogramSource {
  /** Asks for an image. Only the latest request is answered; while one is computed, those in between are dropped. */
  request(view: SpectrogramView, onImage: (image: SpectrogramImage) => void): void;
  close(): void;
}

/** Hz; enough for an image up to 15 kHz, at two thirds of the memory of 48,000. */
const imageSampleRate = 32_000;

async function decode(recording: Blob, signal: AbortSignal): Promise<AudioBuffer> {
  const bytes = await recording.arrayBuffer();
  signal.throwIfAborted();
  // An offline context decodes at its own rate without asking for the sound device.
  const decoded = await new OfflineAudioContext(1, 1, imageSampleRate).decodeAudioData(bytes);
  signal.throwIfAborted();
  return decoded;
}

/**
 * Decodes a recording with the browser's own decoder and hands its samples to a worker.
 *
 * @throws DOMException (EncodingError) when the browser cannot decode it, AbortError when the signal aborts
 */
export async function openSpectrogramSource(recording: Blob, signal: AbortSignal): Promise<SpectrogramSource> {
  // Started first, so that it has loaded and warmed up when there is something to draw.
  const worker = new Worker(new URL('../../workers/spectrogram-worker.ts', import.meta.url), { type: 'module' });
  const decoded = await decode(recording, signal).catch((error: unknown) => {
    worker.terminate();
    throw error;
  });
  performance.mark('recording-decoded');

  const channels = Array.from({ length: Math.min(2, decoded.numberOfChannels) }, (_, channel) => {
    const samples = new Float32Array(decoded.length);
    decoded.copyFromChannel(samples, channel);
    return samples;
  });
  const post = (message: SpectrogramRequest, transfer: Transferable[]) => worker.postMessage(message, transfer);
  post(
    { type: 'load', channels, sampleRate: decoded.sampleRate },
    channels.map(({ buffer }) => buffer),
  );

  type Waiting = { readonly view: SpectrogramView; readonly onImage: (image: SpectrogramImage) => void };
  let underWay: Waiting | null = null;
  let next: Waiting | null = null;
  let id = 0;
  const send = (waiting: Waiting) => {
    underWay = waiting;
    id += 1;
    post({ type: 'draw', id, view: waiting.view }, []);
  };
  worker.addEventListener('message', ({ data }: MessageEvent<SpectrogramImage>) => {
    const finished = underWay;
    underWay = null;
    if (next) {
      const latest = next;
      next = null;
      send(latest);
    }
    finished?.onImage(data);
  });
  return {
    request(view, onImage) {
      const waiting = { view, onImage };
      if (underWay) next = waiting;
      else send(waiting);
    },
    close: () => worker.terminate(),
  };
}
