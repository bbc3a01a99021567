import type { SpectrumWindow } from '@chiffchaff/recognizer/audio';
import { useEffect, useMemo, useState } from 'react';
import { canBeHeld } from '../../../platform/decoding/can-be-held.ts';
import type { Hindrance } from '../sound/hindrance.ts';
import type { ServedRecording, Wait } from '../sound/use-playback.tsx';
import { openSpectrogramWorker } from './spectrogram-worker-client.ts';
import { coarsestLevel, stretchOf } from './tile-grid.ts';
import type { PaletteName } from './worker/paint-levels.ts';

/** Levels of one recording's spectrum, and images of them. Samples never enter React state. */
export interface SpectrogramSource {
  /** How many stretches are worth asking for at the same time. */
  readonly parallel: number;
  /** Bytes, column after column, each from 0 Hz upwards: 0 is the recording's quiet, 255 its loudest. */
  measure(window: SpectrumWindow, signal: AbortSignal): Promise<Uint8Array<ArrayBuffer>>;
  paint(levels: Uint8Array<ArrayBuffer>, rows: number, palette: PaletteName, signal: AbortSignal): Promise<ImageBitmap>;
  close(): void;
}

/** Hz; enough for an image up to 15 kHz, at two thirds of the memory of 48,000. */
const IMAGE_SAMPLE_RATE = 32_000;

async function decode(recording: Blob, signal: AbortSignal): Promise<AudioBuffer> {
  const bytes = await recording.arrayBuffer();
  signal.throwIfAborted();
  // An offline context decodes at its own rate without asking for the sound device.
  const decoded = await new OfflineAudioContext(1, 1, IMAGE_SAMPLE_RATE).decodeAudioData(bytes);
  signal.throwIfAborted();
  return decoded;
}

/**
 * Decodes a recording with the browser's own decoder and hands its samples to a worker: they live there only.
 *
 * @throws DOMException (EncodingError) when the browser cannot decode it, AbortError when the signal aborts
 */
export async function openDecodedSource(recording: Blob, signal: AbortSignal): Promise<SpectrogramSource> {
  // Started first, so that it has loaded when there is something to draw.
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
    parallel: 2, // one that is computed, one on its way
    measure: (window, cancel) => worker.perform({ kind: 'measure', window }, cancel),
    paint: (levels, rows, palette, cancel) => worker.perform({ kind: 'paint', levels, rows, palette }, cancel),
    close: worker.close,
  };
}

/** Opens a recording that the server keeps; its overview has arrived when this resolves. @throws Error as `readLevels` */
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
  /** The server is asked for what the browser cannot decode or hold. */
  | { readonly kind: 'fetching' }
  /** … and does not answer; it is asked again by itself. */
  | { readonly kind: 'outOfReach' }
  | { readonly kind: 'ready'; readonly source: SpectrogramSource; readonly isServed: boolean }
  /** This browser cannot draw it, and the server keeps nothing of it. */
  | { readonly kind: Hindrance }
  /** Nothing of the sound was kept: there is nothing to draw. */
  | { readonly kind: 'noSound' }
  /** The server has no image of it, or no longer. */
  | { readonly kind: 'unavailable' };

const decoding: SpectrogramStatus = { kind: 'decoding' };
const fetching: SpectrogramStatus = { kind: 'fetching' };

type Tell = (status: SpectrogramStatus) => void;

/** Opens a source, and lets go of it when the component does. @param open tells why there is none; null while there is nothing to open */
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

/** Opens the recording for drawing: decoded in the page where that can be done, else from the server where it has kept the sound. */
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
