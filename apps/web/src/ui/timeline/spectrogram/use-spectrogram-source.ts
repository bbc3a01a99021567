import type { SpectrumExtent } from '@chiffchaff/recognizer/audio';
import { useEffect, useMemo, useState } from 'react';
import { canBeHeld } from '../../../platform/decoding/can-be-held.ts';
import type { Hindrance } from '../sound/hindrance.ts';
import type { ServedRecording, Wait } from '../sound/use-playback.tsx';
import { openSpectrogramWorker } from './spectrogram-worker-client.ts';
import { coarsestLevel, stretchOf } from './tile-grid.ts';
import type { PaletteName } from './worker/paint-levels.ts';

/** Levels of one recording's spectrum, and images of them. Samples never enter React state. */
export interface SpectrogramSource {
  /** How many stretches to request concurrently. */
  readonly parallel: number;
  /** Bytes, column after column, each from 0 Hz upwards: 0 is the recording's quiet, 255 its loudest. */
  measure(window: SpectrumExtent, signal: AbortSignal): Promise<Uint8Array<ArrayBuffer>>;
  paint(levels: Uint8Array<ArrayBuffer>, rows: number, palette: PaletteName, signal: AbortSignal): Promise<ImageBitmap>;
  close(): void;
}

/** Hz; enough for an image up to 15 kHz, at two thirds of the memory of 48,000. */
const IMAGE_SAMPLE_RATE = 32_000;

async function decode(recording: Blob, signal: AbortSignal): Promise<AudioBuffer> {
  const bytes = await recording.arrayBuffer();
  signal.throwIfAborted();
  // An offline context decodes at its own rate without opening the audio device.
  const decoded = await new OfflineAudioContext(1, 1, IMAGE_SAMPLE_RATE).decodeAudioData(bytes);
  signal.throwIfAborted();
  return decoded;
}

/**
 * Decodes a recording with the browser's decoder and transfers its samples to a worker, which alone keeps them.
 *
 * @throws DOMException (EncodingError) when the browser cannot decode it, AbortError when the signal aborts
 */
export async function openDecodedSource(recording: Blob, signal: AbortSignal): Promise<SpectrogramSource> {
  // Started first, so that it has loaded by the time there is something to draw.
  const worker = openSpectrogramWorker();
  const decoded = await decode(recording, signal).catch((error: unknown) => {
    worker.close();
    throw error;
  });
  performance.mark('recording-decoded');
  worker.load(
    Array.from({ length: Math.min(2, decoded.numberOfChannels) }, (_, channel) => {
      const samples = new Float32Array(decoded.length);
      decoded.copyFromChannel(samples, channel);
      return samples;
    }),
    decoded.sampleRate,
  );
  return {
    parallel: 2, // one in progress, one on its way
    measure: (window, cancel) => worker.perform({ kind: 'measure', window }, cancel),
    paint: (levels, rows, palette, cancel) => worker.perform({ kind: 'paint', levels, rows, palette }, cancel),
    close: worker.close,
  };
}

/** Opens a recording kept by the server; resolves once its overview has arrived. @throws Error as `readLevels` */
export async function openServedSource(
  served: ServedRecording,
  durationSeconds: number,
  signal: AbortSignal,
  onWait: (why: Wait) => void = () => {},
  openWorker = openSpectrogramWorker,
): Promise<SpectrogramSource> {
  const wholeTile = stretchOf({ level: coarsestLevel(durationSeconds), index: 0 }, durationSeconds);
  const overview = await served.readLevels(wholeTile, signal, onWait);
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

export type SpectrogramStatus =
  | { readonly kind: 'decoding' }
  /** The browser cannot decode or hold it, so the page asks the server. */
  | { readonly kind: 'fetching' }
  /** The server does not answer; requests are repeated. */
  | { readonly kind: 'outOfReach' }
  | { readonly kind: 'ready'; readonly source: SpectrogramSource; readonly isServed: boolean }
  /** The browser cannot draw it, and the server keeps none of its audio. */
  | { readonly kind: Hindrance }
  /** No audio was kept, so there is nothing to draw. */
  | { readonly kind: 'noSound' }
  /** The server has no image of it, or no longer has one. */
  | { readonly kind: 'unavailable' };

const decoding: SpectrogramStatus = { kind: 'decoding' };
const fetching: SpectrogramStatus = { kind: 'fetching' };

type Tell = (status: SpectrogramStatus) => void;

/** Opens a source, and closes it on unmount. @param open reports why there is no source; null while there is nothing to open */
function useSource(
  open: ((signal: AbortSignal, tell: Tell) => Promise<SpectrogramSource | null>) | null,
  isServed: boolean,
): SpectrogramStatus {
  const first = isServed ? fetching : decoding;
  const [status, setStatus] = useState(first);
  useEffect(() => {
    if (!open) return undefined;
    const controller = new AbortController();
    const { signal } = controller;
    let opened: SpectrogramSource | null = null;
    const tell: Tell = (next) => {
      if (!signal.aborted) setStatus(next);
    };
    tell(first);
    void open(signal, tell).then((source) => {
      opened = source;
      if (signal.aborted) source?.close();
      else if (source) tell({ kind: 'ready', source, isServed });
    });
    return () => {
      controller.abort();
      opened?.close();
    };
  }, [open, first, isServed]);
  return status;
}

/** Opens the recording for drawing: decoded in the page if possible, otherwise from the server if it has kept the audio. */
export function useSpectrogramSource(
  recording: Blob | null,
  served: ServedRecording | null | undefined,
  durationSeconds: number,
): SpectrogramStatus {
  const openHere = useMemo(
    () =>
      recording === null
        ? null
        : async (signal: AbortSignal, tell: Tell) => {
            const refuse = (kind: Hindrance) => {
              tell({ kind });
              return null;
            };
            if (!canBeHeld(recording.size, durationSeconds)) return refuse('tooLong');
            return openDecodedSource(recording, signal).catch(() => refuse('undecodable'));
          },
    [recording, durationSeconds],
  );
  const here = useSource(openHere, false);
  const isHindered = recording === null || here.kind === 'undecodable' || here.kind === 'tooLong';
  const openThere = useMemo(
    () =>
      !isHindered || !served
        ? null
        : (signal: AbortSignal, tell: Tell) =>
            openServedSource(served, durationSeconds, signal, (why) =>
              tell(why === 'outOfReach' ? { kind: why } : fetching),
            ).catch(() => {
              tell({ kind: 'unavailable' });
              return null;
            }),
    [isHindered, served, durationSeconds],
  );
  const there = useSource(openThere, true);
  if (!isHindered) return here;
  if (served === null) return recording === null ? { kind: 'noSound' } : here;
  return served === undefined ? fetching : there;
}

interface Recording {
  /** The local file; null when there is none. */
  readonly recording: Blob | null;
  readonly served: ServedRecording | null | undefined;
  readonly durationSeconds: number;
}

/**
 * An image of one passage in ink on paper, for use in a picture.
 *
 * @returns null when there is no sound to draw
 * @throws Error when the browser cannot decode it, or the server refuses; AbortError when the signal aborts
 */
export async function openPassage(
  { recording, served, durationSeconds }: Recording,
  window: SpectrumExtent,
  signal: AbortSignal,
): Promise<ImageBitmap | null> {
  if (recording !== null && canBeHeld(recording.size, durationSeconds)) {
    const source = await openDecodedSource(recording, signal);
    try {
      return await source.paint(await source.measure(window, signal), window.rows, 'ink', signal);
    } finally {
      source.close();
    }
  }
  if (!served) return null;
  const levels = await served.readLevels(window, signal);
  const worker = openSpectrogramWorker();
  try {
    return await worker.perform({ kind: 'paint', levels, rows: window.rows, palette: 'ink' }, signal);
  } finally {
    worker.close();
  }
}
