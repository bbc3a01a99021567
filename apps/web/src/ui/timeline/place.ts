import type { CSSProperties } from 'react';

/**
 * Custom properties of something that lies on the time axis; `timeline.module.css` turns them, with the view's `--from` and `--span`,
 * into a place. So nothing has to be rendered again while the view moves.
 */
export function placeOf({
  startSeconds,
  endSeconds,
}: {
  readonly startSeconds: number;
  readonly endSeconds: number;
}): CSSProperties {
  return { '--at': startSeconds, '--length': endSeconds - startSeconds } as CSSProperties;
}

export const momentOf = (seconds: number): CSSProperties => placeOf({ startSeconds: seconds, endSeconds: seconds });
