import { genusOf, type ModelKnowledge } from '../model/labels.ts';
import type { Calibration } from '../model/manifest.ts';
import type { Answer, AnswerCandidate, AnswerConditions, AnswerDetection } from './answer.ts';
import { checkUpOf } from './check-up.ts';
import { type Confidences, type PlaceInfluence, workOutConfidences } from './confidence.ts';
import { type DetectionConditions, eachDetection, findDetections } from './detections.ts';
import { clipSpan, type Evidence, findInRow, passageCountOf } from './evidence/evidence.ts';
import { genusShareOf } from './genus.ts';
import { type PlaceEffect, placeEffect } from './occurrence.ts';
import { findOtherSounds } from './other-sounds.ts';
import { type RecordingScores, workOutScores } from './recording-scores.ts';
import { confidenceWordOf, isTied, verdictKindOf } from './verdict.ts';

/** Candidates kept by default. */
export const DEFAULT_TOP = 5;

/** Far below any word. */
const NEGLIGIBLE_CONFIDENCE = 0.05;

/** What is no bird and scores as high as this leaves nothing to propose where no bird is recognised. */
const CLEAR_SOUND_SCORE = 0.5;

/**
 * Works out the whole answer from the evidence: ranking, verdict, detections, what the place hides, other sounds. A pure function of its
 * arguments; a fresh analysis and a later change of place, week, `minScore` or `top` both end here.
 *
 * About 5 ms for a minute of sound, a tenth of a second for hours.
 *
 * @example
 * const answer = conclude(model, evidence, { occurrence: await pool.occurrence({ latitude, longitude, week }), top: 3 });
 */
export function conclude(model: ModelKnowledge, evidence: Evidence, conditions: AnswerConditions): Answer {
  const { manifest, species } = model;
  const { calibration } = manifest;
  const { occurrence } = conditions;
  const top = conditions.top ?? DEFAULT_TOP;
  const asked = detectionConditions(model, conditions);
  const { occurrenceOf, effectOf } = asked;

  // Whatever a model makes of digital silence, nothing was heard.
  if (isSilent(evidence)) return { ...nothingHeard, checkUp: checkUpOf(evidence, species, [], calibration.otherSoundScore) };

  const recording = workOutScores(evidence, calibration.pooling);
  const { here, withoutPlace } = confidencesUnder(model, evidence, conditions);

  const candidateOf = (confidences: Confidences, label: number, rank: number): AnswerCandidate => {
    const confidence = confidences.best[label] ?? 0;
    return {
      label,
      scientificName: species.labels[label]?.scientificName ?? '',
      rank,
      score: recording.scores[label] ?? 0,
      confidence,
      confidenceWord: confidenceWordOf(confidence, calibration.words),
      unusualHere: effectOf(label).unusual,
      occurrence: occurrenceOf(label),
      best: clipSpan(evidence, loudestClipIn(evidence, confidences.bestPassage[label] ?? 0, label)),
    };
  };

  const ranked = rankedLabels(here, recording);
  const candidates = ranked.slice(0, top).map((label, index) => candidateOf(here, label, index + 1));
  const [first, second] = ranked.slice(0, 2).map((label) => ({
    label,
    confidence: here.best[label] ?? 0,
    passage: here.bestPassage[label] ?? -1,
  }));
  const tied = isTied(first, second, calibration.tie);
  const kind = verdictKindOf(first ? [first, ...(second ? [second] : [])] : [], tied, calibration.words);

  const rankedAnywhere = occurrence ? rankedLabels(withoutPlace, recording) : ranked;
  const hidden = rankedAnywhere
    .map((label, index) => ({ label, rank: index + 1 }))
    .filter(({ label }) => effectOf(label).hidden && (withoutPlace.best[label] ?? 0) >= calibration.words.notSure)
    .map(({ label, rank }) => candidateOf(withoutPlace, label, rank));
  const soundsLike = hidden.find((candidate) => candidate.rank === 1 && candidate.confidence >= calibration.words.veryLikely);

  const otherSounds = findOtherSounds(evidence, species, recording, calibration.otherSoundScore);
  const genus = (): string | null => {
    if (kind !== 'unsure' || !first || !second || first.confidence >= calibration.words.likely) return null;
    const name = genusOf(species.labels[first.label]?.scientificName ?? '');
    if (genusOf(species.labels[second.label]?.scientificName ?? '') !== name) return null;
    return genusShareOf(evidence, species, first.passage, name, effectOf) >= calibration.genusShare ? name : null;
  };

  const named = (): AnswerCandidate[] => {
    if (kind === 'noBird' || !first) return [];
    if (kind === 'several') {
      return ranked
        .filter((label) => (here.best[label] ?? 0) >= calibration.words.likely)
        .map((label, index) => ({ label, rank: index + 1, time: firstTime(evidence, here, label, calibration.words.likely) }))
        .sort((a, b) => a.time - b.time || a.rank - b.rank)
        .map(({ label, rank }) => candidateOf(here, label, rank));
    }
    return (tied ? ranked.slice(0, 2) : [first.label]).map((label, index) => candidateOf(here, label, index + 1));
  };

  const { detections, leftOut } = findDetections(evidence, species, here, {
    ...asked,
    most: conditions.mostDetections ?? Number.POSITIVE_INFINITY,
  });
  return {
    verdict: { kind, tied, named: named(), genus: genus(), notExpectedHere: soundsLike ?? null },
    candidates,
    isClearlyNoBird: kind === 'noBird' && (otherSounds[0]?.score ?? 0) >= CLEAR_SOUND_SCORE,
    detections,
    detectionsLeftOut: leftOut,
    hiddenByLocation: hidden.slice(0, top),
    otherSounds,
    checkUp: checkUpOf(evidence, species, otherSounds, calibration.otherSoundScore),
  };
}

/**
 * All detections of the answer that `conclude` gives, whatever `mostDetections` says: one by one, so that millions can be written without
 * being held.
 */
export function listDetections(
  model: ModelKnowledge,
  evidence: Evidence,
  conditions: AnswerConditions,
): Iterable<AnswerDetection> {
  if (isSilent(evidence)) return [];
  const { here } = confidencesUnder(model, evidence, conditions);
  return eachDetection(evidence, model.species, here, detectionConditions(model, conditions));
}

const isSilent = ({ sampleCount, silentSamples }: Evidence): boolean => silentSamples === sampleCount;

const nothingHeard: Omit<Answer, 'checkUp'> = {
  verdict: { kind: 'noBird', tied: false, named: [], genus: null, notExpectedHere: null },
  candidates: [],
  isClearlyNoBird: true,
  detections: [],
  detectionsLeftOut: 0,
  hiddenByLocation: [],
  otherSounds: [],
};

function effectsOf({ manifest }: ModelKnowledge, { occurrence }: AnswerConditions): (label: number) => PlaceEffect {
  return (label) => placeEffect(occurrence?.[label] ?? null, manifest.calibration.occurrence);
}

function detectionConditions(model: ModelKnowledge, conditions: AnswerConditions): DetectionConditions {
  const { occurrence, minScore = model.manifest.defaults.minScore, strict = null } = conditions;
  const occurrenceOf = (label: number): number | null => occurrence?.[label] ?? null;
  return { minScore, strict, occurrenceOf, effectOf: effectsOf(model, conditions) };
}

/** The confidences that an answer needs: at the place, and without it, which is the same where there is none. */
function confidencesUnder(
  model: ModelKnowledge,
  evidence: Evidence,
  conditions: AnswerConditions,
): { readonly here: Confidences; readonly withoutPlace: Confidences } {
  const { calibration } = model.manifest;
  const { occurrence, top = DEFAULT_TOP } = conditions;
  if (!occurrence) {
    const anywhere = workOutEnough(evidence, calibration, null, top);
    return { here: anywhere, withoutPlace: anywhere };
  }
  const withoutPlace = workOutConfidences(evidence, calibration, null, NEGLIGIBLE_CONFIDENCE);
  const effectOf = effectsOf(model, conditions);
  return { here: workOutEnough(evidence, calibration, { effectOf, withoutPlace }, top), withoutPlace };
}

/** The confidences of all species that come near a word, or of all species where that is not enough for the candidates asked for. */
function workOutEnough(evidence: Evidence, calibration: Calibration, place: PlaceInfluence | null, enough: number): Confidences {
  const clear = workOutConfidences(evidence, calibration, place, NEGLIGIBLE_CONFIDENCE);
  const found = clear.bestPassage.reduce((count, passage) => (passage < 0 ? count : count + 1), 0);
  return found >= enough ? clear : workOutConfidences(evidence, calibration, place, 0);
}

/** Labels that have a confidence, by falling confidence, then by falling score; where no clip has a score, by the highest logit. */
function rankedLabels({ best, bestPassage }: Confidences, { scores, peaks }: RecordingScores): number[] {
  const labels: number[] = [];
  for (let label = 0; label < best.length; label++) {
    if (bestPassage[label] !== -1) labels.push(label);
  }
  const falling = (numbers: Float64Array, a: number, b: number): number => (numbers[b] ?? 0) - (numbers[a] ?? 0);
  return labels.sort((a, b) => falling(best, a, b) || falling(scores, a, b) || falling(peaks, a, b) || a - b);
}

/** The passage's clip with the species' highest logit; its first clip where none reached the floor. */
function loudestClipIn(evidence: Evidence, passage: number, label: number): number {
  const { clips, passages } = evidence;
  const first = passages.firstClips[passage] ?? 0;
  let loudest = first;
  let highest = -Infinity;
  for (let clip = first; clip < first + passages.clipCount; clip++) {
    const at = findInRow(clips.labels, clips.offsets[clip] ?? 0, clips.offsets[clip + 1] ?? 0, label);
    const logit = at < 0 ? -Infinity : (clips.logits[at] ?? 0);
    if (logit > highest) {
      highest = logit;
      loudest = clip;
    }
  }
  return loudest;
}

/** The clip in which a species is first heard well: the loudest of the first passage that makes it so sure. */
function firstTime(evidence: Evidence, confidences: Confidences, label: number, minConfidence: number): number {
  for (let passage = 0; passage < passageCountOf(evidence); passage++) {
    if (confidences.inPassage(passage, label) >= minConfidence) return loudestClipIn(evidence, passage, label);
  }
  return Number.POSITIVE_INFINITY;
}
