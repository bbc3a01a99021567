import { detectionKey, judge, type Label } from '../labels.ts';
import type { LabelledDetection } from './fit-thresholds.ts';

/**
 * Prepares labels for fitting: each detection once, with its confidence. Another bird counts as wrong. Leaves out detections about which
 * people are unsure or disagree, and those of unknown confidence.
 *
 * @param confidences of detections by `detectionKey`, for labels without one
 */
export function labelledDetections(
  labels: readonly Label[],
  confidences: ReadonlyMap<string, number>,
): { readonly labelled: readonly LabelledDetection[]; readonly unsure: number; readonly unknown: number } {
  const written = new Map(labels.map((label) => [detectionKey(label), label] as const));
  const labelled: LabelledDetection[] = [];
  let unsure = 0;
  let unknown = 0;
  for (const [key, { verdict }] of judge(labels)) {
    const label = written.get(key);
    const confidence = label?.confidence ?? confidences.get(key) ?? null;
    if (verdict === 'unsure') unsure += 1;
    else if (label === undefined || confidence === null) unknown += 1;
    else labelled.push({ scientificName: label.scientificName, confidence, isRight: verdict === 'yes' });
  }
  return { labelled, unsure, unknown };
}
