import type { SpeciesTable } from '../model/labels.ts';
import { logOdds, sigmoid } from './activation.ts';
import type { AnswerDetection } from './answer.ts';
import { createChoice } from './choose-best.ts';
import { type ClipRun, eachClipRun } from './clip-runs.ts';
import type { Confidences } from './confidence/confidence.ts';
import { clipSpan, type Evidence } from './evidence/evidence.ts';
import type { LocationAdjustment } from './occurrence.ts';

export interface DetectionConditions {
  readonly minScore: number;
  /** Do not merge clips. */
  readonly perClip: boolean;
  /** Whether what is no bird is wanted as well. */
  readonly sounds: boolean;
  /** null without a place */
  readonly occurrenceOf: (label: number) => number | null;
  readonly adjustmentOf: (label: number) => LocationAdjustment;
  /** Whether a bird does not live at the assumed place; always false without one. */
  readonly isElsewhere: (label: number) => boolean;
  /** Whether a label is on the list of species; always true without a list. */
  readonly isListed: (label: number) => boolean;
}

/**
 * Yields the detections of each bird species and, with `sounds`, of everything else: its clips at or above `minScore`, merged if less than a clip's length lies between
 * them, unless `perClip`. The place changes a detection's confidence and may hide it, but removes none. Yields one at a time and
 * holds none.
 *
 * @returns by start, then by descending score
 */
export function* eachDetection(
  evidence: Evidence,
  species: SpeciesTable,
  confidences: Confidences,
  conditions: DetectionConditions,
): Generator<AnswerDetection, void> {
  for (const run of runsOf(evidence, species, conditions)) yield detectionOf(evidence, species, confidences, run, conditions);
}

/**
 * Finds the best of these detections.
 *
 * @param most number of detections to keep; see `createChoice` for which
 */
export function findDetections(
  evidence: Evidence,
  species: SpeciesTable,
  confidences: Confidences,
  { most, ...conditions }: DetectionConditions & { readonly most: number },
): { readonly detections: AnswerDetection[]; readonly leftOut: number } {
  const choice = createChoice<ClipRun>(most, ({ label, firstClip, peak }) => ({
    key: label,
    startSeconds: clipSpan(evidence, firstClip).startSeconds,
    score: sigmoid(peak),
  }));
  for (const run of runsOf(evidence, species, conditions)) choice.add(run);
  const detections = choice.chosen().map((run) => detectionOf(evidence, species, confidences, run, conditions));
  return { detections, leftOut: choice.leftOut };
}

function runsOf(
  evidence: Evidence,
  { isBird }: SpeciesTable,
  { minScore, perClip, sounds, isListed }: DetectionConditions,
): Generator<ClipRun, void> {
  const isWanted = (label: number): boolean => (isBird[label] === 1 ? isListed(label) : sounds);
  return eachClipRun(evidence, logOdds(minScore), isWanted, perClip ? 0 : undefined);
}

function detectionOf(
  evidence: Evidence,
  species: SpeciesTable,
  confidences: Confidences,
  run: ClipRun,
  { adjustmentOf, isElsewhere, occurrenceOf }: DetectionConditions,
): AnswerDetection {
  const { scientificName = '', kind = 'bird' } = species.labels[run.label] ?? {};
  const isBird = kind === 'bird';
  return {
    label: run.label,
    scientificName,
    ...(kind === 'bird' ? {} : { kind }),
    ...clipSpan(evidence, run.firstClip, run.lastClip),
    score: sigmoid(run.peak),
    // Confidence and occurrence are known of birds alone.
    confidence: isBird ? confidences.inRun(run, species.isBird) : 0,
    hidden: isBird && (adjustmentOf(run.label).hidden || isElsewhere(run.label)),
    occurrence: isBird ? occurrenceOf(run.label) : null,
  };
}
