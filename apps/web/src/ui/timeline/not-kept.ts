import type { KeptMoment } from '@chiffchaff/contract';

type Stretch = Pick<KeptMoment, 'startSeconds' | 'endSeconds'>;

/** Shorter than this is the rounding of a moment's times, in seconds. */
const leastSeconds = 0.05;

/**
 * The stretches of a recording whose sound was not kept, in order.
 *
 * @param moments what was kept, in order and apart from each other; absent when all of it was
 */
export function findNotKept(moments: readonly Stretch[] | undefined, durationSeconds: number): readonly Stretch[] {
  if (!moments) return [];
  const ends = [0, ...moments.map(({ endSeconds }) => endSeconds)];
  const starts = [...moments.map(({ startSeconds }) => startSeconds), durationSeconds];
  return ends
    .map((startSeconds, index) => ({ startSeconds, endSeconds: starts[index] ?? durationSeconds }))
    .filter(({ startSeconds, endSeconds }) => endSeconds - startSeconds > leastSeconds);
}
