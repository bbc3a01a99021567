import type { BirdReview } from '@chiffchaff/contract';
import type { Span } from '../../../platform/format/format.ts';
import { spanOf, type View } from '../view/view.ts';

/** A span of time in which something was heard. Marks of one `lane` do not overlap. */
export interface Mark extends Span {
  readonly id: string;
  /** Marks with the same key share a lane. */
  readonly lane: string;
  readonly label: string;
  /** BCP 47 tag of the label, when it differs from the page's. */
  readonly language: string | undefined;
  /** The review of the bird, if any. */
  readonly review: BirdReview | undefined;
  /** Read by assistive technology after the label: when, and how sure. */
  readonly description: string;
  /** How sure the mark is by itself, 0–1. */
  readonly confidence: number;
  /** Drawn dashed, because it is not reliable. */
  readonly isFaint: boolean;
  /** Whether the answer names the bird. Others wait behind "more birds", and have no label in the plot. */
  readonly isNamed: boolean;
  /** What to say beside the bird's name, in a word or two; null for nothing. */
  readonly aside: string | null;
}

/** What plot and lanes show of the marks. */
export interface ShownMarks {
  readonly marks: readonly Mark[];
  /** The settled view; rendering reaches one view length beyond it. */
  readonly view: View;
  readonly durationSeconds: number;
  readonly soundingIds: readonly string[];
  /** Marks that are pointed at or focused; they have a strong outline and their name. */
  readonly shownMarks: readonly Mark[];
}

export interface Lane extends Pick<Mark, 'label' | 'language' | 'review' | 'isNamed' | 'aside'> {
  readonly key: string;
  readonly marks: readonly Mark[];
}

/** One lane for each key, in order of first appearance. */
export const lanesOf = (marks: readonly Mark[]): readonly Lane[] =>
  [...Map.groupBy(marks, ({ lane }) => lane)].flatMap(([key, own]) =>
    own.slice(0, 1).map((first) => ({ ...first, key, marks: own })),
  );

export const isUnder = ({ startSeconds, endSeconds }: Mark, seconds: number): boolean =>
  seconds >= startSeconds && seconds < endSeconds;

/** Neighbouring marks of a lane that share one button, because separate ones would be too small to hit. */
export interface MarkCluster extends Span {
  /** in order of time, at least one */
  readonly marks: readonly [Mark, ...Mark[]];
}

/** CSS pixels; the height of a lane is less. */
const SMALLEST_TARGET = 44;

/**
 * Buttons for the marks of one lane, in order of time: each at least 44 pixels wide, none overlapping. Zooming in separates them.
 *
 * @param spanSeconds length of the view
 * @param widthPixels width of the lane; 0 while unknown, then each mark has its own button
 */
export function clusterMarks(marks: readonly Mark[], spanSeconds: number, widthPixels: number): readonly MarkCluster[] {
  const smallest = widthPixels > 0 ? (SMALLEST_TARGET / widthPixels) * spanSeconds : 0;
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

/** Bars that represent the marks of a lane. Marks less than two pixels apart share one, so that hours take only a few hundred bars. */
export function mergeBars(marks: readonly Mark[], view: View, widthPixels: number): readonly Span[] {
  const gap = widthPixels > 0 ? (2 / widthPixels) * spanOf(view) : 0;
  const bars: { startSeconds: number; endSeconds: number }[] = [];
  for (const { startSeconds, endSeconds } of marks.toSorted((one, other) => one.startSeconds - other.startSeconds)) {
    const before = bars.at(-1);
    if (before && startSeconds < before.endSeconds + gap) before.endSeconds = Math.max(before.endSeconds, endSeconds);
    else bars.push({ startSeconds, endSeconds });
  }
  return bars;
}

/** The place of a mark's label in the plot. No other label of its row shares its span: the mark, and more if it is short. */
interface Label<Labelled> extends Span {
  readonly mark: Labelled;
  /** from the top, 0 first */
  readonly row: number;
}

/** Room (CSS pixels) that a label needs at least, so that it can be longer than its mark: more than most names of this length take. */
export const labelPixels = (name: string): number => Math.max(64, 20 + 7.5 * name.length);
export const LABEL_ROW_REM = 1.3;
const MOST_ROWS = 4;
/** Of the picture's height, so that labels do not hide what they name. */
const ROWS_SHARE = 1 / 3;

/**
 * Places the labels of marks so that none overlaps another, the surest first; those for which there is no room are left out.
 *
 * @param roomOf least length (s) of a mark's label
 * @param height of the picture, in CSS pixels
 */
export function placeLabels<Labelled extends Span & Pick<Mark, 'confidence'>>(
  marks: readonly Labelled[],
  roomOf: (mark: Labelled) => number,
  durationSeconds: number,
  height: number,
): readonly Label<Labelled>[] {
  const rows = Math.min(MOST_ROWS, Math.floor((ROWS_SHARE * height) / (16 * LABEL_ROW_REM)));
  const labels: Label<Labelled>[] = [];
  for (const mark of marks.toSorted((one, other) => other.confidence - one.confidence)) {
    const roomSeconds = roomOf(mark);
    const startSeconds = Math.max(0, Math.min(mark.startSeconds, durationSeconds - roomSeconds));
    const endSeconds = Math.max(mark.endSeconds, startSeconds + roomSeconds);
    const isFree = (row: number) =>
      labels.every((label) => label.row !== row || label.endSeconds <= startSeconds || label.startSeconds >= endSeconds);
    const row = Array.from({ length: rows }, (_, index) => index).find(isFree);
    if (row !== undefined) labels.push({ mark, row, startSeconds, endSeconds });
  }
  return labels;
}
