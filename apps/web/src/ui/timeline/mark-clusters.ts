import type { Mark } from './mark.ts';
import { percentOf, type View } from './view.ts';

/** Neighbouring marks of a lane that are pressed as one, because apart they would be too small to hit. */
export interface MarkCluster {
  /** in order of time, at least one */
  readonly marks: readonly [Mark, ...Mark[]];
  /** Where its target begins and how wide it is, in percent of the view. */
  readonly leftPercent: number;
  readonly widthPercent: number;
}

/** CSS pixels */
const smallestTarget = 44;

/**
 * Targets for the marks of one lane: each at least 44 pixels wide and none over another. Zooming in takes them apart.
 *
 * @param widthPixels of the lane; 0 while unknown, then every mark stands for itself
 */
export function clusterMarks(marks: readonly Mark[], view: View, widthPixels: number): readonly MarkCluster[] {
  const smallest = widthPixels > 0 ? (smallestTarget / widthPixels) * 100 : 0;
  const clusters: MarkCluster[] = [];
  for (const mark of marks.toSorted((one, other) => one.startSeconds - other.startSeconds)) {
    const start = percentOf(view, mark.startSeconds);
    const end = percentOf(view, mark.endSeconds);
    const widthPercent = Math.max(end - start, smallest);
    const leftPercent = (start + end - widthPercent) / 2;
    const before = clusters.at(-1);
    if (before && leftPercent < before.leftPercent + before.widthPercent - 1e-9) {
      const right = Math.max(before.leftPercent + before.widthPercent, leftPercent + widthPercent);
      const left = Math.min(before.leftPercent, leftPercent);
      clusters[clusters.length - 1] = { marks: [...before.marks, mark], leftPercent: left, widthPercent: right - left };
    } else clusters.push({ marks: [mark], leftPercent, widthPercent });
  }
  return clusters;
}
