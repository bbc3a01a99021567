/** Beyond either, decoding in the tab would take more memory than a page should. */
const LONGEST_SECONDS = 600;
const LARGEST_BYTES = 100 * 1024 * 1024;
/** Compressed sound of an unknown length: more than this may be longer than `LONGEST_SECONDS`. */
const LARGEST_BYTES_OF_UNKNOWN_LENGTH = 10 * 1024 * 1024;

/** Whether a recording of this size and length fits into a page once decoded. @param durationSeconds null while unknown */
export function canBeHeld(sizeBytes: number, durationSeconds: number | null): boolean {
  if (sizeBytes > LARGEST_BYTES) return false;
  return durationSeconds === null ? sizeBytes <= LARGEST_BYTES_OF_UNKNOWN_LENGTH : durationSeconds <= LONGEST_SECONDS;
}

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

/** What keeps this browser from showing a recording, by its own player; null when nothing does. Takes three seconds at most. */
export async function findHindrance(recording: Blob): Promise<Hindrance | null> {
  const seconds = await readDuration(recording);
  if (Number.isNaN(seconds)) return 'undecodable';
  return canBeHeld(recording.size, Number.isFinite(seconds) ? seconds : null) ? null : 'tooLong';
}
