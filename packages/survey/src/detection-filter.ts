import { detectionKey, type Judgement, judge, type Label } from './labels.ts';
import type { ListedDetection } from './read/listed-detection.ts';
import { reachesThreshold, type Thresholds } from './thresholds/threshold-table.ts';

/** A person said that it is another bird or none · hidden by location · not as sure as the threshold of its species asks. */
export type WhyLeftOut = 'rejected' | 'hidden' | 'belowThreshold';

type Judged = Pick<ListedDetection, 'scientificName' | 'isHidden'> & { readonly confidence: number | null };

/** Why a detection of a table does not count; null when it does. What a person confirmed counts, however sure the model is. */
export function whyLeftOut(
  detection: Judged,
  verdict: Judgement['verdict'] | undefined,
  thresholds: Thresholds,
): WhyLeftOut | null {
  if (verdict === 'no' || verdict === 'other') return 'rejected';
  if (verdict === 'yes') return null;
  if (detection.isHidden) return 'hidden';
  return reachesThreshold(detection, thresholds) ? null : 'belowThreshold';
}

/** Decides which detections of tables count, and counts those left out. */
export function createDetectionFilter({
  thresholds,
  labels,
}: {
  readonly thresholds: Thresholds;
  readonly labels: readonly Label[];
}) {
  const judgements = judge(labels);
  const unmatched = new Set(judgements.keys());
  const unheard = new Set(thresholds.keys());
  const leftOut: Record<WhyLeftOut, number> = { rejected: 0, hidden: 0, belowThreshold: 0 };
  return {
    keeps(detection: ListedDetection): boolean {
      const key = judgements.size === 0 ? '' : detectionKey(detection);
      unmatched.delete(key);
      unheard.delete(detection.scientificName);
      const why = whyLeftOut(detection, judgements.get(key)?.verdict, thresholds);
      if (why !== null) leftOut[why] += 1;
      return why === null;
    },
    /** Numbers of detections left out so far, and of labels whose detections were not among those given; and species likewise. */
    leftOut: () => ({
      ...leftOut,
      unmatchedLabels: labels.filter((label) => unmatched.has(detectionKey(label))).length,
      /** with thresholds */
      unheardSpecies: [...unheard],
    }),
  };
}

export type DetectionFilter = ReturnType<typeof createDetectionFilter>;
