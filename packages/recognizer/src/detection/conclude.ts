import { genusOf, type ModelKnowledge } from '../model/labels.ts';
import type { Calibration } from '../model/manifest.ts';
import type { Answer, AnswerCandidate, AnswerConditions, AnswerDetection, NamedCandidate, SimilarBird } from './answer.ts';
import { confidencesAtAssumedPlace } from './assumed-place.ts';
import { checkUpOf } from './check-up.ts';
import { type Confidences, workOutConfidences } from './confidence/confidence.ts';
import { type DetectionConditions, eachDetection, findDetections } from './detections.ts';
import { clipCountOf, clipSpan, type Evidence, loudestClip, passageCountOf } from './evidence/evidence.ts';
import { genusShareOf } from './genus.ts';
import { type LocationAdjustment, locationAdjustment } from './occurrence.ts';
import { findOtherSounds } from './other-sounds.ts';
import { type RecordingScores, workOutScores } from './recording-scores.ts';
import { confidenceWordOf, isTied, namedOf, rankBirds, verdictKindOf } from './verdict.ts';

/** Candidates kept by default. */
export const DEFAULT_TOP = 5;

/** Far below the lowest word. */
const NEGLIGIBLE_CONFIDENCE = 0.05;

/** If no bird is recognised and another sound scores at least this, there is nothing to propose. */
export const CLEAR_SOUND_SCORE = 0.5;

/**
 * Works out the whole answer from the evidence: ranking, verdict, detections, species hidden by location, other sounds. A pure
 * function, called both after an analysis and for a later change of place, week, `minScore` or `top`.
 *
 * Takes about 5 ms for a minute of audio, a tenth of a second for hours.
 *
 * @example
 * const answer = conclude(model, evidence, { occurrence: await pool.occurrence({ latitude, longitude, week }), top: 3 });
 */
export function conclude(model: ModelKnowledge, evidence: Evidence, conditions: AnswerConditions): Answer {
  const { manifest, species } = model;
  const { calibration } = manifest;
  const { occurrence, assumed } = placeOf(model, conditions);
  const top = conditions.top ?? DEFAULT_TOP;
  const asked = detectionConditions(model, evidence, conditions);
  const { occurrenceOf, adjustmentOf, isElsewhere, isListed } = asked;

  // Models may find birds in digital silence, but nothing was heard.
  if (isSilent(evidence)) return { ...nothingHeard, checkUp: checkUpOf(evidence, species, [], calibration.otherSoundScore) };

  const recording = workOutScores(evidence, calibration.pooling);
  const { here, withoutPlace } = confidencesUnder(model, evidence, conditions);

  const bestClipOf = ({ bestPassage }: Confidences, label: number): number =>
    loudestClipIn(evidence, bestPassage[label] ?? 0, label);
  const birdOf = ({ best }: Confidences, label: number) => ({
    label,
    scientificName: species.labels[label]?.scientificName ?? '',
    confidence: best[label] ?? 0,
    assumed: assumed && (isElsewhere(label) ? ('elsewhere' as const) : ('here' as const)),
  });
  const candidateOf = (confidences: Confidences, label: number, rank: number): AnswerCandidate => {
    const bird = birdOf(confidences, label);
    const { confidence } = bird;
    return {
      ...bird,
      rank,
      score: recording.scores[label] ?? 0,
      confidenceWord: confidenceWordOf(confidence, calibration.words),
      unusualHere: adjustmentOf(label).unusual,
      occurrence: occurrenceOf(label),
      best: clipSpan(evidence, bestClipOf(confidences, label)),
    };
  };

  // The verdict compares the first two, even if fewer are asked for.
  const most = Math.max(2, topOf(conditions));
  const birds = rankedLabels(here, recording, most).filter(isListed);
  const ranked = rankBirds(
    birds.map((label) => birdOf(here, label)),
    calibration.words,
  ).map((bird, index) => ({ ...bird, rank: index + 1 }));
  const candidates = ranked.slice(0, top).map(({ label, rank }) => candidateOf(here, label, rank));
  const [first, second] = ranked.slice(0, 2).map((bird) => ({
    ...bird,
    passage: here.bestPassage[bird.label] ?? -1,
    clip: bestClipOf(here, bird.label),
  }));
  const tied = first?.assumed !== 'elsewhere' && second?.assumed !== 'elsewhere' && isTied(first, second, calibration);
  const kind = verdictKindOf(first ? [first, ...(second ? [second] : [])] : [], tied, calibration.words);

  const rankedAnywhere = occurrence ? rankedLabels(withoutPlace, recording, most).filter(isListed) : [];
  const hidden = rankedAnywhere
    .map((label, index) => ({ label, rank: index + 1 }))
    .filter(({ label }) => adjustmentOf(label).hidden && (withoutPlace.best[label] ?? 0) >= calibration.words.notSure)
    .map(({ label, rank }) => candidateOf(withoutPlace, label, rank));
  const soundsLike = hidden.find((candidate) => candidate.rank === 1 && candidate.confidence >= calibration.words.veryLikely);

  const otherSounds = findOtherSounds(evidence, species, recording, calibration.otherSoundScore);
  const genus = (): string | null => {
    if (kind !== 'unsure' || !first || !second || first.confidence >= calibration.words.likely) return null;
    const name = genusOf(first.scientificName);
    if (genusOf(second.scientificName) !== name || first.assumed !== second.assumed) return null;
    // A bird from elsewhere is compared with birds from everywhere.
    const place = first.assumed === 'elsewhere' ? null : occurrence;
    return genusShareOf(evidence, species, first.passage, name, adjustmentsAt(model, place)) >= calibration.genusShare
      ? name
      : null;
  };

  const named = (): NamedCandidate[] => {
    if (kind === 'noBird') return [];
    return namedOf(ranked, tied, calibration.words)
      .map(({ label, rank }) => ({
        ...candidateOf(here, label, rank),
        firstSeconds: firstSeconds(evidence, here, label, calibration.words.perhaps),
      }))
      .sort((a, b) => a.firstSeconds - b.firstSeconds || a.rank - b.rank);
  };

  const namedBirds = named();
  const alsoSoundsLike = (): SimilarBird | null => {
    if (first === undefined || namedBirds.length === 0) return null;
    const inNames = new Set(namedBirds.map(({ label }) => label));
    let similar = { label: -1, confidence: NEGLIGIBLE_CONFIDENCE };
    here.best.forEach((best, label) => {
      // No passage exceeds the best one.
      if (best < similar.confidence || inNames.has(label) || adjustmentOf(label).hidden || !isListed(label)) return;
      const confidence = here.inPassage(first.passage, label);
      if (confidence >= similar.confidence) similar = { label, confidence };
    });
    return similar.label < 0
      ? null
      : { ...similar, best: clipSpan(evidence, loudestClipIn(evidence, first.passage, similar.label)) };
  };

  const { detections, leftOut } = findDetections(evidence, species, here, {
    ...asked,
    most: conditions.mostDetections ?? Number.POSITIVE_INFINITY,
  });
  return {
    verdict: {
      ...{ kind, tied, named: namedBirds, genus: genus(), notExpectedHere: soundsLike ?? null },
      alsoSoundsLike: alsoSoundsLike(),
    },
    candidates,
    isClearlyNoBird: kind === 'noBird' && (isWind(evidence) || (otherSounds[0]?.score ?? 0) >= CLEAR_SOUND_SCORE),
    detections,
    detectionsLeftOut: leftOut,
    hiddenByLocation: hidden.slice(0, top),
    otherSounds,
    checkUp: checkUpOf(evidence, species, otherSounds, calibration.otherSoundScore),
  };
}

/**
 * All detections of the answer that `conclude` gives, regardless of `mostDetections`. Yields them one by one, so that millions can
 * be written without being held.
 */
export function listDetections(
  model: ModelKnowledge,
  evidence: Evidence,
  conditions: AnswerConditions,
): Iterable<AnswerDetection> {
  if (isSilent(evidence)) return [];
  const { here } = confidencesUnder(model, evidence, conditions);
  return eachDetection(evidence, model.species, here, detectionConditions(model, evidence, conditions));
}

const isSteadyNoise = (evidence: Evidence): boolean => evidence.steadyClips === clipCountOf(evidence);
/** Nothing but wind and other noise. Gusts are less certain to be noise than what is steady, so birds may be listed, but none is named. */
const isWind = (evidence: Evidence): boolean => evidence.steadyClips + evidence.windyClips === clipCountOf(evidence);
const isSilent = ({ sampleCount, silentSamples }: Evidence): boolean => silentSamples === sampleCount;

const nothingHeard: Omit<Answer, 'checkUp'> = {
  verdict: { kind: 'noBird', tied: false, named: [], genus: null, notExpectedHere: null, alsoSoundsLike: null },
  candidates: [],
  isClearlyNoBird: true,
  detections: [],
  detectionsLeftOut: 0,
  hiddenByLocation: [],
  otherSounds: [],
};

/** The occurrence that counts and the rule for an assumed place. An assumed place is ignored if the model has no such rule. */
function placeOf(
  { manifest }: ModelKnowledge,
  { occurrence, isAssumed = false }: AnswerConditions,
): { readonly occurrence: Float32Array | null; readonly assumed: Calibration['assumedPlace'] } {
  const assumed = isAssumed && occurrence ? manifest.calibration.assumedPlace : null;
  return { occurrence: isAssumed && !assumed ? null : occurrence, assumed };
}

/** How each label is treated at the place. */
function adjustmentsAt({ manifest }: ModelKnowledge, occurrence: Float32Array | null): (label: number) => LocationAdjustment {
  return (label) => locationAdjustment(occurrence?.[label] ?? null, manifest.calibration.occurrence);
}

function detectionConditions(model: ModelKnowledge, evidence: Evidence, conditions: AnswerConditions): DetectionConditions {
  const { listed = null, perClip = false, sounds = false } = conditions;
  // Gusts reach the scores of birds: none of them is a detection.
  const minScore = isWind(evidence) ? 1 : (conditions.minScore ?? model.manifest.defaults.minScore);
  const { occurrence, assumed } = placeOf(model, conditions);
  const occurrenceOf = (label: number): number | null => occurrence?.[label] ?? null;
  const adjustmentAt = adjustmentsAt(model, occurrence);
  const isElsewhere = (label: number): boolean => assumed !== null && (occurrenceOf(label) ?? 0) < assumed.elsewhere;
  const adjustmentOf = (label: number): LocationAdjustment => {
    const adjustment = adjustmentAt(label);
    if (!assumed) return adjustment;
    return { ...adjustment, hidden: false, unusual: adjustment.unusual && !isElsewhere(label) };
  };
  // Models find birds in noise, too, but none was heard.
  const isNoise = isSteadyNoise(evidence);
  const isListed = (label: number): boolean => !isNoise && (listed === null || listed[label] === 1);
  return { minScore, perClip, sounds, occurrenceOf, adjustmentOf, isElsewhere, isListed };
}

interface BothConfidences {
  readonly here: Confidences;
  readonly withoutPlace: Confidences;
}

/**
 * The confidences that an answer needs: at the place, and without it. In nothing but wind, none is enough for a word. If half of a
 * recording is wind (steady noise does not count), doubtful birds are likely to be wind, too: only those that are
 * at least *perhaps* there keep their word.
 */
function confidencesUnder(model: ModelKnowledge, evidence: Evidence, conditions: AnswerConditions): BothConfidences {
  const heard = confidencesOfSound(model, evidence, conditions);
  const { words } = model.manifest.calibration;
  if (!isWind(evidence) && evidence.windyClips < MOSTLY_WIND * clipCountOf(evidence)) return heard;
  const doubtfulBelow = isWind(evidence) ? Number.POSITIVE_INFINITY : words.perhaps;
  const inWind = (confidence: number): number =>
    confidence < doubtfulBelow ? Math.min(confidence, MOST_IN_WIND * words.notSure) : confidence;
  return { here: mapConfidences(heard.here, inWind), withoutPlace: mapConfidences(heard.withoutPlace, inWind) };
}

/** as a share of the clips */
const MOSTLY_WIND = 0.5;
/** As a share of the least confidence that has a word. */
const MOST_IN_WIND = 0.9;

const mapConfidences = (confidences: Confidences, change: (confidence: number) => number): Confidences => ({
  ...confidences,
  best: confidences.best.map(change),
  inPassage: (passage, label) => change(confidences.inPassage(passage, label)),
  inRun: (run, isBird) => change(confidences.inRun(run, isBird)),
});

/** Both are the same object if there is no place. */
function confidencesOfSound(model: ModelKnowledge, evidence: Evidence, conditions: AnswerConditions): BothConfidences {
  const { calibration } = model.manifest;
  const top = topOf(conditions);
  const { occurrence, assumed } = placeOf(model, conditions);
  const zones = occurrence && !assumed ? null : conditions.zones;
  const anywhere = (min: number) => workOutConfidences(evidence, calibration, null, min, zones);
  const least = passageCountOf(evidence) > FEW_PASSAGES ? NEGLIGIBLE_CONFIDENCE : 0;
  if (!occurrence) {
    const found = workOutAtLeast(anywhere, top, least);
    return { here: found, withoutPlace: found };
  }
  const withoutPlace = anywhere(NEGLIGIBLE_CONFIDENCE);
  const adjustmentOf = adjustmentsAt(model, occurrence);
  const there = (min: number) => workOutConfidences(evidence, calibration, { adjustmentOf, withoutPlace }, min);
  const here = assumed
    ? workOutAtLeast((min) => confidencesAtAssumedPlace(there(min), anywhere(min), assumed), top, NEGLIGIBLE_CONFIDENCE)
    : workOutAtLeast(there, top, least);
  return { here, withoutPlace };
}

/** Number of birds to rank. With a list of species, unlikely birds are candidates too. */
const topOf = ({ listed, top = DEFAULT_TOP }: AnswerConditions): number => (listed ? Number.POSITIVE_INFINITY : top);

/**
 * With this few passages, rarely do enough species reach `NEGLIGIBLE_CONFIDENCE`, and finding that out takes as long as working out
 * all.
 */
const FEW_PASSAGES = 4;

/** The confidences of the species that reach `least`, or of all species if fewer than `enough` do. */
function workOutAtLeast(workOut: (minConfidence: number) => Confidences, enough: number, least: number): Confidences {
  const clear = workOut(least);
  if (least === 0) return clear;
  const found = clear.bestPassage.reduce((count, passage) => (passage < 0 ? count : count + 1), 0);
  return found >= enough ? clear : workOut(0);
}

/**
 * Labels that have a confidence, in descending order of it, then of score, then of the highest logit.
 *
 * @param most number of labels needed; negligible ones beyond it are left out, because sorting them all takes long
 */
function rankedLabels({ best, bestPassage }: Confidences, { scores, peaks }: RecordingScores, most: number): number[] {
  const least = Math.min(best.toSorted().at(-most) ?? 0, NEGLIGIBLE_CONFIDENCE);
  const labels: number[] = [];
  for (let label = 0; label < best.length; label++) {
    if (bestPassage[label] !== -1 && (best[label] ?? 0) >= least) labels.push(label);
  }
  const falling = (numbers: Float64Array, a: number, b: number): number => (numbers[b] ?? 0) - (numbers[a] ?? 0);
  return labels.sort((a, b) => falling(best, a, b) || falling(scores, a, b) || falling(peaks, a, b) || a - b);
}

/** The passage's clip with the species' highest logit, or its first clip if none reached the floor. */
function loudestClipIn(evidence: Evidence, passage: number, label: number): number {
  const first = evidence.passages.firstClips[passage] ?? 0;
  return loudestClip(evidence, label, first, first + evidence.passages.clipCount - 1);
}

/** Start of a species' loudest clip in the first passage with at least `minConfidence`, or in its best passage. */
function firstSeconds(evidence: Evidence, confidences: Confidences, label: number, minConfidence: number): number {
  const best = confidences.bestPassage[label] ?? 0;
  let passage = 0;
  while (passage < best && confidences.inPassage(passage, label) < minConfidence) passage++;
  return clipSpan(evidence, loudestClipIn(evidence, passage, label)).startSeconds;
}
