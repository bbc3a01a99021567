import type { SpeciesTable } from '../model/labels.ts';
import { logOdds, sigmoid } from './activation.ts';
import type { AnswerDetection, StrictDetection } from './answer.ts';
import type { Confidences } from './confidence.ts';
import { clipCountOf, clipSpan, type Evidence, passageCountOf } from './evidence.ts';
import type { PlaceEffect } from './occurrence.ts';
import { createRunTracker, type Run } from './runs.ts';

/** What unattended listening should ask for: one loud clip alone is too often no bird. */
export const STRICT_DETECTION: StrictDetection = { clips: 2, score: 0.5 };

export interface DetectionConditions {
  readonly minScore: number;
  readonly strict: StrictDetection | null;
  /** null without a place */
  readonly occurrenceOf: (label: number) => number | null;
  readonly effectOf: (label: number) => PlaceEffect;
}

/**
 * When each bird species is heard: its clips at or above `minScore`, neighbours merged. Place changes their confidence and whether
 * they are hidden, and takes none away.
 *
 * @returns by start, then by falling score
 */
export function findDetections(
  evidence: Evidence,
  species: SpeciesTable,
  confidences: Confidences,
  conditions: DetectionConditions,
): AnswerDetection[] {
  const detections: AnswerDetection[] = [];
  for (const [label, runs] of runsByLabel(evidence, species, conditions)) {
    const place = { hidden: conditions.effectOf(label).hidden, occurrence: conditions.occurrenceOf(label) };
    for (const run of runs) {
      detections.push({
        label,
        scientificName: species.labels[label]?.scientificName ?? '',
        ...clipSpan(evidence, run.firstClip, run.lastClip),
        score: sigmoid(run.peak),
        confidence: bestTouchedConfidence(evidence, confidences, label, run),
        ...place,
      });
    }
  }
  return detections.sort((a, b) => a.startSeconds - b.startSeconds || b.score - a.score || a.label - b.label);
}

function runsByLabel(
  evidence: Evidence,
  species: SpeciesTable,
  { minScore, strict }: Pick<DetectionConditions, 'minScore' | 'strict'>,
): ReadonlyMap<number, readonly Run[]> {
  const { clips, logitUnit } = evidence;
  const clearLogit = strict ? logOdds(strict.score) : 0;
  const runs = createRunTracker(logOdds(minScore));
  const clearClips = new Map<number, number>();
  for (let clip = 0; clip < clipCountOf(evidence); clip++) {
    const to = clips.offsets[clip + 1] ?? 0;
    for (let at = clips.offsets[clip] ?? 0; at < to; at++) {
      const logit = logitUnit * (clips.logits[at] ?? 0);
      const label = clips.labels[at] ?? 0;
      if (species.isBird[label] !== 1) continue;
      if (strict && logit >= clearLogit) clearClips.set(label, (clearClips.get(label) ?? 0) + 1);
      runs.add(clip, label, logit);
    }
  }
  if (!strict) return runs.byLabel;
  return new Map([...runs.byLabel].filter(([label]) => (clearClips.get(label) ?? 0) >= strict.clips));
}

function bestTouchedConfidence(evidence: Evidence, confidences: Confidences, label: number, run: Run): number {
  let best = 0;
  for (let passage = firstPassageReaching(evidence, run.firstClip); passage < passageCountOf(evidence); passage++) {
    if ((evidence.passages.firstClips[passage] ?? 0) > run.lastClip) break;
    best = Math.max(best, confidences.inPassage(passage, label));
  }
  return best;
}

/** The first passage that holds the clip or anything after it; passages are in order of their first clips. */
function firstPassageReaching(evidence: Evidence, clip: number): number {
  const { firstClips, clipCount } = evidence.passages;
  let low = 0;
  let high = firstClips.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((firstClips[middle] ?? 0) + clipCount > clip) high = middle;
    else low = middle + 1;
  }
  return low;
}
