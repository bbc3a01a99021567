import type { SpectrumExtent } from '@chiffchaff/recognizer/audio';
import { canBeHeld } from '../../../platform/decoding/can-be-held.ts';
import type { ServedRecording } from '../sound/use-playback.tsx';
import { openSpectrogramWorker } from './spectrogram-worker-client.ts';
import { openDecodedSource } from './use-spectrogram-source.ts';

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
      return await source.paint(await source.measure(window, signal), window.rows, 'grey', signal);
    } finally {
      source.close();
    }
  }
  if (!served) return null;
  const levels = await served.readLevels(window, signal);
  const worker = openSpectrogramWorker();
  try {
    return await worker.perform({ kind: 'paint', levels, rows: window.rows, palette: 'grey' }, signal);
  } finally {
    worker.close();
  }
}
