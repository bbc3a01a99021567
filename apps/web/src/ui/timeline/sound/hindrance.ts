import { canBeHeld } from '../../../platform/decoding/can-be-held.ts';

/** `undecodable`: the browser can neither draw nor play it · `tooLong`: it can play it, but drawing would take too much memory. */
export type Hindrance = 'undecodable' | 'tooLong';

/** How long the browser may take to read a file's metadata before the file counts as unreadable. */
const METADATA_MS = 3000;

/** Asks the browser's player for a recording's length; NaN when it cannot read the recording, Infinity when it does not know. */
function readDuration(recording: Blob): Promise<number> {
  const url = URL.createObjectURL(recording);
  const audio = document.createElement('audio');
  audio.preload = 'metadata';
  return new Promise<number>((resolve) => {
    const timer = setTimeout(() => resolve(Number.NaN), METADATA_MS);
    const answer = (seconds: number) => {
      clearTimeout(timer);
      resolve(seconds);
    };
    audio.addEventListener('loadedmetadata', () => answer(audio.duration), { once: true });
    audio.addEventListener('error', () => answer(Number.NaN), { once: true });
    audio.src = url;
  }).finally(() => {
    audio.removeAttribute('src');
    URL.revokeObjectURL(url);
  });
}

/** What the browser's player says about a recording. */
export interface FirstLook {
  /** What keeps the browser from showing it; null for nothing. */
  readonly hindrance: Hindrance | null;
  /** null when the player does not know */
  readonly durationSeconds: number | null;
}

/** Asks the browser's player. Takes at most three seconds. */
export async function lookAt(recording: Blob): Promise<FirstLook> {
  const seconds = await readDuration(recording);
  const durationSeconds = Number.isFinite(seconds) ? seconds : null;
  if (Number.isNaN(seconds)) return { hindrance: 'undecodable', durationSeconds };
  return { hindrance: canBeHeld(recording.size, durationSeconds) ? null : 'tooLong', durationSeconds };
}
