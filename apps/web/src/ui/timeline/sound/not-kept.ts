import type { KeptMoment } from '@chiffchaff/contract';

type Stretch = Pick<KeptMoment, 'startSeconds' | 'endSeconds'>;

/** Shorter than this is the rounding of an excerpt's times, in seconds. */
const leastSeconds = 0.05;

/**
 * The stretches of a recording whose sound was not kept, in order.
 *
 * @param excerpts what was kept, in order and apart from each other; absent when all of it was
 */
export function findNotKept(excerpts: readonly Stretch[] | undefined, durationSeconds: number): readonly Stretch[] {
  if (!excerpts) return [];
  const ends = [0, ...excerpts.map(({ endSeconds }) => endSeconds)];
  const starts = [...excerpts.map(({ startSeconds }) => startSeconds), durationSeconds];
  return ends
    .map((startSeconds, index) => ({ startSeconds, endSeconds: starts[index] ?? durationSeconds }))
    .filter(({ startSeconds, endSeconds }) => endSeconds - startSeconds > leastSeconds);
}
