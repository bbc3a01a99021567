import type { SpeciesTable } from '../model/labels.ts';
import { logOdds, sigmoid } from './activation.ts';
import type { AnswerDetection, StrictDetection } from './answer.ts';
import { createChoice } from './choose-best.ts';
import type { Confidences } from './confidence/confidence.ts';
import { clipSpan, type Evidence } from './evidence/evidence.ts';
import type { PlaceEffect } from './occurrence.ts';
import { eachRun, type Run } from './runs.ts';

/** What unattended listening should ask for: one loud clip alone is too often no bird. */
export const strictDetection: StrictDetection = { clips: 2, score: 0.5 };

export interface DetectionConditions {
  readonly minScore: number;
  readonly strict: StrictDetection | null;
  /** Clips are not merged. */
  readonly perClip: boolean;
  /** null without a place */
  readonly occurrenceOf: (label: number) => number | null;
  readonly effectOf: (label: number) => PlaceEffect;
  /** Whether it is on the list of species, where there is one. */
  readonly isListed: (label: number) => boolean;
}

/**
 * When each bird species is heard: its clips at or above `minScore`, those with less than a clip's length between them merged unless `perClip`. Place changes their confidence
 * and whether they are hidden, and takes none away. Made one by one: of very many, none is held.
 *
 * @returns by start, then by falling score
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
 * The best of these.
 *
 * @param most detections at most; see `createChoice` for which
 */
export function findDetections(
  evidence: Evidence,
  species: SpeciesTable,
  confidences: Confidences,
  { most, ...conditions }: DetectionConditions & { readonly most: number },
): { readonly detections: AnswerDetection[]; readonly leftOut: number } {
  const choice = createChoice<Run>(most, ({ label, firstClip, peak }) => ({
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
): Generator<Run, void> {
  const isClear = strict === null ? () => true : clearLabels(evidence, strict);
  const isWanted = (label: number): boolean => isBird[label] === 1 && isListed(label) && isClear(label);
  return eachRun(evidence, logOdds(minScore), isWanted, perClip ? 0 : undefined);
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
  run: Run,
  { effectOf, occurrenceOf }: DetectionConditions,
): AnswerDetection {
  return {
    label: run.label,
    scientificName: species.labels[run.label]?.scientificName ?? '',
    ...clipSpan(evidence, run.firstClip, run.lastClip),
    score: sigmoid(run.peak),
    confidence: confidences.inRun(run, species.isBird),
    hidden: effectOf(run.label).hidden,
    occurrence: occurrenceOf(run.label),
  };
}
