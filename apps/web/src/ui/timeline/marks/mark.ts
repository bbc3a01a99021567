import type { Correction } from '@chiffchaff/contract';
import { spanOf, type View } from '../view/view.ts';

/** Something heard from one moment to another. Marks of one `lane` do not overlap. */
export interface Mark {
  readonly id: string;
  /** Marks with the same key share a lane. */
  readonly lane: string;
  readonly label: string;
  /** BCP 47 tag of the label, when it differs from the page's. */
  readonly language: string | undefined;
  /** What was said about the bird. */
  readonly correction: Correction | undefined;
  readonly startSeconds: number;
  readonly endSeconds: number;
  /** What assistive technology reads after the label: when, how sure. */
  readonly description: string;
  /** Drawn dashed: nothing to rely on. */
  readonly isFaint: boolean;
  /** Why the mark's lane waits behind "more birds", in a word or two; null where it does not. */
  readonly aside: string | null;
}

export interface Lane {
  readonly key: string;
  readonly label: string;
  readonly language: string | undefined;
  readonly correction: Correction | undefined;
  readonly aside: string | null;
  readonly marks: readonly Mark[];
}

/** One lane for each key, in the order in which the keys first appear. */
export function lanesOf(marks: readonly Mark[]): readonly Lane[] {
  const byKey = Map.groupBy(marks, ({ lane }) => lane);
  return [...byKey].map(([key, own]) => ({
    key,
    label: own[0]?.label ?? '',
    language: own[0]?.language,
    correction: own[0]?.correction,
    aside: own[0]?.aside ?? null,
    marks: own,
  }));
}

export const isUnder = ({ startSeconds, endSeconds }: Mark, seconds: number): boolean =>
  seconds >= startSeconds && seconds < endSeconds;

/** Neighbouring marks of a lane that are pressed as one, because apart they would be too small to hit. */
export interface MarkCluster {
  /** in order of time, at least one */
  readonly marks: readonly [Mark, ...Mark[]];
  readonly startSeconds: number;
  readonly endSeconds: number;
}

/** CSS pixels */
const SMALLEST_TARGET = 44;

/**
 * Targets for the marks of one lane: each at least 44 pixels wide and none over another. Zooming in takes them apart.
 *
 * @param widthPixels of the lane; 0 while unknown, then every mark stands for itself
 */
export function clusterMarks(marks: readonly Mark[], view: View, widthPixels: number): readonly MarkCluster[] {
  const smallest = widthPixels > 0 ? (SMALLEST_TARGET / widthPixels) * spanOf(view) : 0;
  const clusters: { marks: [Mark, ...Mark[]]; startSeconds: number; endSeconds: number }[] = [];
  for (const mark of marks.toSorted((one, other) => one.startSeconds - other.startSeconds)) {
    const span = Math.max(mark.endSeconds - mark.startSeconds, smallest);
    const startSeconds = (mark.startSeconds + mark.endSeconds - span) / 2;
    const before = clusters.at(-1);
    if (before && startSeconds < before.endSeconds - 1e-9) {
      before.marks.push(mark);
      before.startSeconds = Math.min(before.startSeconds, startSeconds);
      before.endSeconds = Math.max(before.endSeconds, startSeconds + span);
    } else clusters.push({ marks: [mark], startSeconds, endSeconds: startSeconds + span });
  }
  return clusters;
}

/** Passages of a lane as they are drawn: those less than two pixels apart as one, so that hours stay a few hundred bars. */
export function mergeBars(
  marks: readonly Mark[],
  view: View,
  widthPixels: number,
): readonly Pick<Mark, 'startSeconds' | 'endSeconds'>[] {
  const gap = widthPixels > 0 ? (2 / widthPixels) * spanOf(view) : 0;
  const bars: { startSeconds: number; endSeconds: number }[] = [];
  for (const { startSeconds, endSeconds } of marks.toSorted((one, other) => one.startSeconds - other.startSeconds)) {
    const before = bars.at(-1);
    if (before && startSeconds < before.endSeconds + gap) before.endSeconds = Math.max(before.endSeconds, endSeconds);
    else bars.push({ startSeconds, endSeconds });
  }
  return bars;
}
