import type { Span } from '../../../platform/format/format.ts';
import type { Mark } from './mark.ts';

/** The place of a mark's label in the plot. No other label of its row shares its span: the mark, and more if it is short. */
export interface Label extends Span {
  readonly mark: Mark;
  /** from the top, 0 first */
  readonly row: number;
}

const MOST_ROWS = 4;

/**
 * Places the labels of marks so that none overlaps another, the surest first; those for which there is no room are left out.
 *
 * @param roomSeconds least length of a label
 */
export function placeLabels(marks: readonly Mark[], roomSeconds: number, durationSeconds: number): readonly Label[] {
  const labels: Label[] = [];
  for (const mark of marks.toSorted((one, other) => other.confidence - one.confidence)) {
    const startSeconds = Math.max(0, Math.min(mark.startSeconds, durationSeconds - roomSeconds));
    const endSeconds = Math.max(mark.endSeconds, startSeconds + roomSeconds);
    const isFree = (row: number) =>
      labels.every((label) => label.row !== row || label.endSeconds <= startSeconds || label.startSeconds >= endSeconds);
    const row = Array.from({ length: MOST_ROWS }, (_, index) => index).find(isFree);
    if (row !== undefined) labels.push({ mark, row, startSeconds, endSeconds });
  }
  return labels;
}
