import { decodeFile } from '../decoding/decode-file.ts';
import { openDeviceRecognizer } from '../on-device/device-recognizer.ts';
import type { Span } from '../recording/sessions.ts';

/** Of longer recordings the check would take minutes. */
const LONGEST_SECONDS = 600;

interface CheckOptions {
  readonly signal: AbortSignal;
  /** Part of the recording that has been looked through, 0–1. */
  readonly onProgress?: (fraction: number) => void;
}

/**
 * Where there is speech in a recording, by the recogniser on this device, which has to be installed; nothing is sent. Speech can be missed.
 *
 * @returns by time; null for a recording longer than ten minutes
 * @throws Undecodable where this browser cannot open it; RecognizerError; the signal's reason
 */
export async function checkSpeech(file: Blob, { signal, onProgress }: CheckOptions): Promise<readonly Span[] | null> {
  const recognizer = await openDeviceRecognizer();
  signal.throwIfAborted();
  const { samples, expectedSeconds, ...about } = await decodeFile(file);
  if ((expectedSeconds ?? 0) > LONGEST_SECONDS) {
    await samples.next(); // what was not begun is not ended either
    await samples.return();
    return null;
  }
  const anywhere = { latitude: null, longitude: null, placeSource: 'stated', timeZone: null, week: null, date: null } as const;
  const { speech } = await recognizer.analyse(samples, {
    question: { ...anywhere, language: 'en' },
    recording: { fileName: null, ...about },
    signal,
    onProgress: ({ analysedSeconds }) => expectedSeconds && onProgress?.(Math.min(1, analysedSeconds / expectedSeconds)),
  });
  return speech;
}
