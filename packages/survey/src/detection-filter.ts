import { detectionKey, type Judgement, judge, type Label } from './labels.ts';
import type { ListedDetection } from './read/listed-detection.ts';
import { reachesThreshold, type Thresholds } from './thresholds/threshold-table.ts';

/** A person said that it is another bird or none · hidden by location · not as sure as the threshold of its species asks. */
type WhyLeftOut = 'rejected' | 'hidden' | 'belowThreshold';

type Judged = Pick<ListedDetection, 'scientificName' | 'isHidden'> & { readonly confidence: number | null };

/** Why a detection of a table does not count; null when it does. What a person confirmed counts, however sure the model is. */
function whyLeftOut(detection: Judged, verdict: Judgement['verdict'] | undefined, thresholds: Thresholds): WhyLeftOut | null {
  if (verdict === 'no' || verdict === 'other') return 'rejected';
  if (verdict === 'yes') return null;
  if (detection.isHidden) return 'hidden';
  return reachesThreshold(detection, thresholds) ? null : 'belowThreshold';
}

/** Decides which detections of tables count, and counts those left out, each once however many tables have it. */
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
  const leftOut = { rejected: new Set<string>(), hidden: new Set<string>(), belowThreshold: new Set<string>() };
  /** Birds that a person named instead of others; null for those that a table has, too. */
  const named = new Map<string, ListedDetection | null>();
  return {
    keeps(detection: ListedDetection): boolean {
      const key = detectionKey(detection);
      const judgement = judgements.get(key);
      unmatched.delete(key);
      unheard.delete(detection.scientificName);
      const why = whyLeftOut(detection, judgement?.verdict, thresholds);
      if (why !== null) leftOut[why].add(key);
      else if (judgements.size > 0) named.set(key, null);
      if (judgement?.verdict === 'other') {
        const { otherSpecies: scientificName } = judgement;
        const otherKey = detectionKey(detection, scientificName);
        const other = { ...detection, scientificName, commonName: '', score: 0, confidence: 0, isHidden: false };
        if (!named.has(otherKey)) named.set(otherKey, other);
      }
      return why === null;
    },
    /** The birds that a person named instead of detections so far, unless these have them, too. Their confidence is 0. */
    named: (): readonly ListedDetection[] => [...named.values()].filter((each) => each !== null),
    /** Numbers of detections left out so far, and of labels whose detections were not among those given; and species likewise. */
    leftOut: () => ({
      rejected: leftOut.rejected.size,
      hidden: leftOut.hidden.size,
      belowThreshold: leftOut.belowThreshold.size,
      unmatchedLabels: labels.filter((label) => unmatched.has(detectionKey(label))).length,
      /** with thresholds */
      unheardSpecies: [...unheard],
    }),
  };
}

export type DetectionFilter = ReturnType<typeof createDetectionFilter>;
