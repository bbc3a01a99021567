import { canBeHeld } from '../../../platform/decoding/can-be-held.ts';

/** `undecodable`: the browser can neither draw nor play it · `tooLong`: it can play it, but drawing would take too much memory. */
export type Hindrance = 'undecodable' | 'tooLong';

/** How long a browser may think about a file's metadata before it counts as unreadable. */
const METADATA_MS = 3000;

/** Asks the browser's player for a recording's length; NaN when it cannot read the recording, Infinity when it cannot tell. */
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

/** What this browser's player makes of a recording. */
export interface FirstLook {
  /** What keeps the browser from showing it; null when nothing does. */
  readonly hindrance: Hindrance | null;
  /** null where the player cannot tell */
  readonly durationSeconds: number | null;
}

/** Asks this browser's own player. Takes three seconds at most. */
export async function lookAt(recording: Blob): Promise<FirstLook> {
  const seconds = await readDuration(recording);
  const durationSeconds = Number.isFinite(seconds) ? seconds : null;
  if (Number.isNaN(seconds)) return { hindrance: 'undecodable', durationSeconds };
  return { hindrance: canBeHeld(recording.size, durationSeconds) ? null : 'tooLong', durationSeconds };
}
