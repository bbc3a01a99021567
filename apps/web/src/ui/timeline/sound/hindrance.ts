import { identifySound } from './identify-sound.ts';

/** Beyond either, decoding in the tab would take more memory than a page should. */
const longestSeconds = 600;
const largestBytes = 100 * 1024 * 1024;
/** Compressed sound of an unknown length: more than this may be longer than `longestSeconds`. */
const largestOfUnknownLength = 10 * 1024 * 1024;

/** What can be known of a recording before it is decoded. */
export interface SoundProbe {
  readonly sizeBytes: number;
  /** The file's first bytes, {@link probeBytes} of them or all. */
  readonly head: Uint8Array;
  /** null while unknown */
  readonly durationSeconds: number | null;
  /** `HTMLMediaElement.canPlayType` */
  readonly canPlayType: (mimeType: string) => string;
}

/** Enough for the headers that tell kind and length, behind metadata of an ordinary size. */
export const probeBytes = 4096;

/** Whether a recording of this size and length fits into a page once decoded. */
export function canBeHeld(sizeBytes: number, durationSeconds: number | null): boolean {
  if (sizeBytes > largestBytes) return false;
  return durationSeconds === null ? sizeBytes <= largestOfUnknownLength : durationSeconds <= longestSeconds;
}

/** `undecodable`: the browser can neither draw nor play it · `tooLong`: it can play it, but drawing would take too much memory. */
export type Hindrance = 'undecodable' | 'tooLong';

/** What keeps this browser from showing a recording; null when nothing does. Pure. */
export function hindranceOf({ sizeBytes, head, durationSeconds, canPlayType }: SoundProbe): Hindrance | null {
  const sound = identifySound(head, sizeBytes);
  if (!sound || canPlayType(sound.mimeType) === '') return 'undecodable';
  return canBeHeld(sizeBytes, durationSeconds ?? sound.durationSeconds) ? null : 'tooLong';
}

/** How long a browser may think about a file's metadata before it counts as unreadable. */
const metadataMs = 3000;

/** Asks the browser's player for a recording's length; NaN when it cannot read the recording, Infinity when it cannot tell. */
function readDuration(recording: Blob): Promise<number> {
  const url = URL.createObjectURL(recording);
  const audio = document.createElement('audio');
  audio.preload = 'metadata';
  return new Promise<number>((resolve) => {
    const timer = setTimeout(() => resolve(Number.NaN), metadataMs);
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

/**
 * What keeps this browser from showing a recording: {@link hindranceOf}, with the length that the browser's own player reads. Never
 * rejects; takes some milliseconds, three seconds at most.
 */
export async function findHindrance(recording: Blob): Promise<Hindrance | null> {
  const canPlayType = (mimeType: string) => document.createElement('audio').canPlayType(mimeType);
  try {
    const head = new Uint8Array(await recording.slice(0, probeBytes).arrayBuffer());
    const probe = { sizeBytes: recording.size, head, durationSeconds: null, canPlayType };
    // Only what passes by its header is worth waiting for.
    const byHeader = hindranceOf({ ...probe, durationSeconds: 0 });
    if (byHeader !== null) return byHeader;
    const seconds = await readDuration(recording);
    if (Number.isNaN(seconds)) return 'undecodable';
    return hindranceOf({ ...probe, durationSeconds: Number.isFinite(seconds) ? seconds : null });
  } catch {
    return null; // a file that can no longer be read; sending it will say so
  }
}
