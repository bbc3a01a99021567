import { OVERVIEW_BANDS } from '@chiffchaff/contract';
import type { SpectrumExtent } from '@chiffchaff/recognizer/audio';
import { useCallback, useEffect, useState } from 'react';
import { canBeHeld } from '../../../platform/decoding/can-be-held.ts';
import type { Hindrance } from '../sound/hindrance.ts';
import type { ServedRecording, Wait } from '../sound/use-playback.tsx';
import { paintOn } from './paint-on.ts';
import { openSpectrogramWorker } from './spectrogram-worker-client.ts';
import { stretchOverview } from './stretch-overview.ts';
import { coarsestLevel, stretchOf } from './tile-grid.ts';

/** Levels of one recording's spectrum. Samples never enter React state. */
export interface SpectrogramSource {
  /** Whether it also draws parts of which no sound is kept. */
  readonly isWhole: boolean;
  /** How many stretches to request concurrently. */
  readonly parallel: number;
  /** Bytes, column after column, each from 0 Hz upwards: 0 is the recording's quiet, 255 its loudest. */
  measure(window: SpectrumExtent, signal: AbortSignal): Promise<Uint8Array<ArrayBuffer>>;
  /** absent where nothing is open */
  readonly close?: () => void;
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
    isWhole: true,
    parallel: 2, // one in progress, one on its way
    measure: worker.measure,
    close: worker.close,
  };
}

/** Opens a recording kept by the server; resolves once it can be drawn as a whole. @throws Error as `readLevels` */
export async function openServedSource(
  served: ServedRecording,
  durationSeconds: number,
  signal: AbortSignal,
  onWait: (why: Wait) => void = () => {},
): Promise<SpectrogramSource> {
  const wholeTile = stretchOf({ level: coarsestLevel(durationSeconds), index: 0 }, durationSeconds);
  const wholeLevels = await served.readLevels(wholeTile, signal, onWait);
  return {
    isWhole: served.excerpts === undefined,
    parallel: 4,
    async measure(window, cancel) {
      const isWhole =
        window.startSeconds === 0 && window.endSeconds === wholeTile.endSeconds && window.columns === wholeTile.columns;
      return isWhole ? wholeLevels : served.readLevels(window, cancel);
    },
  };
}

/** Up to this many columns of the spectrogram are drawn from one of the overview: what the server would add is hardly seen. */
const MOST_FROM_ONE = 2;

/** Draws a recording from its overview, and zoomed in where the server keeps its sound. */
export function openOverviewSource(
  overview: Uint8Array,
  served: ServedRecording | null,
  durationSeconds: number,
): SpectrogramSource {
  const columnSeconds = (durationSeconds * OVERVIEW_BANDS) / overview.length;
  const kept = served === null ? [] : (served.excerpts ?? [{ startSeconds: 0, endSeconds: durationSeconds }]);
  return {
    isWhole: true,
    parallel: 4,
    async measure(window, cancel) {
      const levels = stretchOverview(overview, columnSeconds, window);
      const { startSeconds, endSeconds, columns, rows } = window;
      const width = (endSeconds - startSeconds) / columns;
      const seen = kept.filter((part) => part.startSeconds < endSeconds && part.endSeconds > startSeconds);
      if (served === null || seen.length === 0 || width * MOST_FROM_ONE >= columnSeconds) return levels;
      const fine = await served.readLevels(window, cancel);
      for (const part of seen) {
        const columnAt = (seconds: number) => rows * Math.max(0, Math.round((seconds - startSeconds) / width));
        levels.set(fine.subarray(columnAt(part.startSeconds), columnAt(part.endSeconds)), columnAt(part.startSeconds));
      }
      return levels;
    },
  };
}

/** Reads the overview of a recording; null if there is none. @throws Error when the server refuses; AbortError when the signal aborts */
export type ReadOverview = (signal: AbortSignal, onWait: (why: Wait) => void) => Promise<Uint8Array | null>;

export type SpectrogramStatus =
  | { readonly kind: 'decoding' }
  /** The browser cannot decode or hold it, so the page asks the server. */
  | { readonly kind: 'fetching' }
  /** The server does not answer; requests are repeated. */
  | { readonly kind: 'outOfReach' }
  | { readonly kind: 'ready'; readonly source: SpectrogramSource }
  /** The browser cannot draw it, and the server keeps none of its audio. */
  | { readonly kind: Hindrance }
  /** No audio was kept, so there is nothing to draw. */
  | { readonly kind: 'noSound' }
  /** The person chose to keep nothing, not even an overview. */
  | { readonly kind: 'nothingKept' }
  /** The server refuses to send it, or no longer has it. */
  | { readonly kind: 'unavailable'; readonly retry: () => void };

const decoding: SpectrogramStatus = { kind: 'decoding' };
const fetching: SpectrogramStatus = { kind: 'fetching' };

/** Whether parts of which no sound is kept are left blank in the picture. */
export const hasBlanks = (spectrogram: SpectrogramStatus): boolean => spectrogram.kind === 'ready' && !spectrogram.source.isWhole;

type Tell = (status: SpectrogramStatus) => undefined;
type Open = (signal: AbortSignal, tell: Tell) => Promise<SpectrogramSource | undefined>;

/** Opens a source, and closes it on unmount. @param open reports why there is no source; null while there is nothing to open */
function useSource(open: Open | null, first: SpectrogramStatus): SpectrogramStatus {
  const [status, setStatus] = useState(first);
  useEffect(() => {
    if (!open) return undefined;
    const controller = new AbortController();
    const { signal } = controller;
    let opened: SpectrogramSource | undefined;
    const tell: Tell = (next) => {
      if (!signal.aborted) setStatus(next);
      return undefined;
    };
    tell(first);
    void open(signal, tell).then((source) => {
      opened = source;
      if (signal.aborted) source?.close?.();
      else if (source) tell({ kind: 'ready', source });
    });
    return () => {
      controller.abort();
      opened?.close?.();
    };
  }, [open, first]);
  return status;
}

/**
 * Opens the recording for drawing: decoded in the page if possible, otherwise from its overview and the audio that the server has kept.
 *
 * @param readOverview null where there can be none; must stay the same, as the others
 */
export function useSpectrogramSource(
  recording: Blob | null,
  served: ServedRecording | null | undefined,
  durationSeconds: number,
  readOverview: ReadOverview | null = null,
): SpectrogramStatus {
  const [attempt, setAttempt] = useState(0);
  const openHere = useCallback<Open>(
    async (signal, tell) => {
      if (recording === null) return undefined;
      if (!canBeHeld(recording.size, durationSeconds)) return tell({ kind: 'tooLong' });
      return openDecodedSource(recording, signal).catch(() => tell({ kind: 'undecodable' }));
    },
    [recording, durationSeconds],
  );
  const here = useSource(openHere, decoding);
  const isHindered = recording === null || here.kind === 'undecodable' || here.kind === 'tooLong';
  const hasSource = isHindered && served !== undefined && (served ?? readOverview) !== null;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt opens it again
  const openThere = useCallback<Open>(
    async (signal, tell) => {
      const onWait = (why: Wait) => tell(why === 'outOfReach' ? { kind: why } : fetching);
      try {
        const overview = (await readOverview?.(signal, onWait)) ?? null;
        if (overview !== null) return openOverviewSource(overview, served ?? null, durationSeconds);
        if (served) return await openServedSource(served, durationSeconds, signal, onWait);
        return tell({ kind: 'nothingKept' });
      } catch {
        return tell({ kind: 'unavailable', retry: () => setAttempt((count) => count + 1) });
      }
    },
    [served, durationSeconds, readOverview, attempt],
  );
  const there = useSource(hasSource ? openThere : null, fetching);
  if (!isHindered) return here;
  if (hasSource) return there;
  return served === undefined ? fetching : recording === null ? { kind: 'noSound' } : here;
}

export interface Recording {
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
): Promise<HTMLCanvasElement | null> {
  const isHere = recording !== null && canBeHeld(recording.size, durationSeconds);
  const source = isHere ? await openDecodedSource(recording, signal) : null;
  const levels = await (source ? source.measure(window, signal) : served?.readLevels(window, signal));
  source?.close?.();
  if (!levels) return null;
  const image = document.createElement('canvas');
  paintOn(image, levels, window.rows, 'ink');
  return image;
}
