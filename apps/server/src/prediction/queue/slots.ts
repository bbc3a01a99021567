import type { Job } from './job.ts';

/** From here on a recording counts as large: a quarter of an hour of MP3, half a minute of the best WAV. */
const LARGE_BYTES = 8_000_000;
/** After so long, a job counts as long. */
const LONG_AFTER_MS = 8_000;
/** However many turn out to be long: each has a decoder of its own, which takes memory. */
const MOST_PER_SLOT = 3;

export const isLarge = ({ bytes }: Pick<Job, 'bytes'>): boolean => bytes > LARGE_BYTES;

/**
 * How many jobs are analysed at once, so that short ones are never stuck behind long ones: there are slots for every recording, and apart from
 * these some for long ones. How long a recording is is not known beforehand; a large file takes a long slot at once, any other when it has been
 * analysed for a while.
 *
 * @param onFree called when a slot has become free
 */
export function createSlots(count: number, onFree: () => void, longAfterMs = LONG_AFTER_MS) {
  const longCount = Math.ceil(count / 2);
  let short = 0;
  let long = 0;

  return {
    /** Whether anything, and whether a large recording, can be begun now. */
    get free() {
      const any = short < count && short + long < MOST_PER_SLOT * count;
      return { any, large: any && long < longCount };
    },
    /** Takes a slot. @returns what to call when the job has ended */
    enter(large: boolean): () => void {
      let isLong = large;
      if (large) long += 1;
      else short += 1;
      const timer = setTimeout(() => {
        if (isLong) return;
        isLong = true;
        short -= 1;
        long += 1;
        onFree();
      }, longAfterMs);
      return () => {
        clearTimeout(timer);
        if (isLong) long -= 1;
        else short -= 1;
        onFree();
      };
    },
  };
}
