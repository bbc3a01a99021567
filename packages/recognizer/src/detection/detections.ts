import type { SpeciesTable } from '../model/labels.ts';
import { logOdds, sigmoid } from './activation.ts';
import type { AnswerDetection, StrictDetection } from './answer.ts';
import { createChoice } from './choose-best.ts';
import { type ClipRun, eachClipRun } from './clip-runs.ts';
import type { Confidences } from './confidence/confidence.ts';
import { clipSpan, type Evidence } from './evidence/evidence.ts';
import type { LocationAdjustment } from './occurrence.ts';

/** The setting for unattended use: a single loud clip is too often not a bird. */
export const strictDetection: StrictDetection = { clips: 2, score: 0.5 };

export interface DetectionConditions {
  readonly minScore: number;
  readonly strict: StrictDetection | null;
  /** Do not merge clips. */
  readonly perClip: boolean;
  /** null without a place */
  readonly occurrenceOf: (label: number) => number | null;
  readonly adjustmentOf: (label: number) => LocationAdjustment;
  /** Whether a label is on the list of species; always true without a list. */
  readonly isListed: (label: number) => boolean;
}

/**
 * Yields the detections of each bird species: its clips at or above `minScore`, merged if less than a clip's length lies between
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
  { minScore, strict, perClip, isListed }: DetectionConditions,
): Generator<ClipRun, void> {
  const isClear = strict === null ? () => true : clearLabels(evidence, strict);
  const isWanted = (label: number): boolean => isBird[label] === 1 && isListed(label) && isClear(label);
  return eachClipRun(evidence, logOdds(minScore), isWanted, perClip ? 0 : undefined);
}

/** @returns whether enough clips hold a label clearly enough */
function clearLabels({ clips, labelCount, logitUnit }: Evidence, strict: StrictDetection): (label: number) => boolean {
  const clearLogit = logOdds(strict.score);
  const clearClips = new Uint32Array(labelCount);
  for (let at = 0; at < clips.labels.length; at++) {
    const label = clips.labels[at] ?? 0;
    if (logitUnit * (clips.logits[at] ?? 0) >= clearLogit) clearClips[label] = (clearClips[label] ?? 0) + 1;
  }
  return (label) => (clearClips[label] ?? 0) >= strict.clips;
}

function detectionOf(
  evidence: Evidence,
  species: SpeciesTable,
  confidences: Confidences,
  run: ClipRun,
  { adjustmentOf, occurrenceOf }: DetectionConditions,
): AnswerDetection {
  return {
    label: run.label,
    scientificName: species.labels[run.label]?.scientificName ?? '',
    ...clipSpan(evidence, run.firstClip, run.lastClip),
    score: sigmoid(run.peak),
    confidence: confidences.inRun(run, species.isBird),
    hidden: adjustmentOf(run.label).hidden,
    occurrence: occurrenceOf(run.label),
  };
}
