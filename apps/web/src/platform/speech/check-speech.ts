import { decodeFile } from '../decoding/decode-file.ts';
import type { Span } from '../format/format.ts';
import { openDeviceRecognizer } from '../on-device/device-recognizer.ts';
import { nothingKnown } from '../sending/requested-conditions.ts';

/** Longer recordings would take minutes. */
const LONGEST_SECONDS = 600;

interface CheckOptions {
  readonly signal: AbortSignal;
  /** Fraction of the recording that has been checked, 0–1. */
  readonly onProgress?: (fraction: number) => void;
}

/**
 * Finds speech in a recording with the recogniser on this device, which has to be installed; nothing is sent. Speech can be missed.
 *
 * @returns sorted by time; none for a recording longer than ten minutes, which is not checked
 * @throws Undecodable when this browser cannot open it; RecognizerError; the signal's reason
 */
export async function checkSpeech(file: Blob, { signal, onProgress }: CheckOptions): Promise<readonly Span[]> {
  const recognizer = await openDeviceRecognizer();
  signal.throwIfAborted();
  const { samples, expectedSeconds, ...about } = await decodeFile(file);
  if ((expectedSeconds ?? 0) > LONGEST_SECONDS) {
    await samples.next(); // a generator that was never started does not run its cleanup
    await samples.return();
    return [];
  }
  const { speech } = await recognizer.analyse(samples, {
    question: { ...nothingKnown, language: null },
    recording: { fileName: null, ...about },
    signal,
    onProgress: ({ analysedSeconds }) => expectedSeconds && onProgress?.(Math.min(1, analysedSeconds / expectedSeconds)),
  });
  return speech;
}
