import {
  birdsOfSentence,
  type Candidate,
  type Conditions,
  type ConfidenceWord,
  type Detection,
  type EarlyDetection,
  entriesOf,
  type LookAlike,
  type OccurrenceWord,
  type Prediction,
  verdictSentence,
} from '@chiffchaff/contract';
import type {
  Answer,
  AnswerCandidate,
  AnswerDetection,
  SpeciesTable,
  EarlyDetection as UnnamedDetection,
} from '@chiffchaff/recognizer';
import type { Confusions } from './confusions.ts';
import { findLookAlike, needsLookAlike } from './look-alike.ts';
import type { NameOfLabel } from './name-labels.ts';
import { occurrenceWordOf } from './occurrence-word.ts';
import type { Question } from './question.ts';
import { round, roundShare } from './rounding.ts';

/** The parts of a prediction that depend on the conditions, such as place, week and language. */
export type FormattedAnswer = Pick<
  Prediction,
  'verdict' | 'candidates' | 'detections' | 'detectionsLeftOut' | 'hiddenByLocation' | 'otherSounds' | 'checkUp'
>;

/** What answers are worded with, besides what was asked. */
export interface AnswerKnowledge {
  readonly nameOf: NameOfLabel;
  readonly species: SpeciesTable;
  readonly confusions: Confusions;
}

interface AskedWords extends Pick<Question, 'occurrence' | 'regions' | 'top' | 'surroundings' | 'speed'> {
  readonly conditions: Pick<Conditions, 'language' | 'placeSource'>;
}

/** Adds names and a sentence to an answer. Keeps `top` candidates of those it has. */
export function formatAnswer(
  answer: Answer,
  { nameOf: names, species, confusions }: AnswerKnowledge,
  { conditions: { language, placeSource }, occurrence, regions, top, surroundings = null, speed }: AskedWords,
): FormattedAnswer {
  const { verdict } = answer;
  const regionsOfLabels = regions?.split('\n');
  const isPlaceKnown = placeSource === 'stated' || placeSource === 'file';
  const scientificNameOf = (label: number): string => species.labels[label]?.scientificName ?? '';
  const occurrenceOf = (label: number): number | null => occurrence?.[label] ?? null;
  const occurrenceWord = (label: number): OccurrenceWord | null => {
    const here = occurrenceOf(label);
    if (!isPlaceKnown || here === null) return null;
    const at = (values: Float32Array | undefined): number | null => values?.[label] ?? null;
    const { nearby, wholeYear } = surroundings ?? {};
    return occurrenceWordOf(scientificNameOf(label), { here, nearby: at(nearby), wholeYear: at(wholeYear) });
  };
  const nameCandidate = (candidate: AnswerCandidate): Candidate => ({
    rank: candidate.rank,
    scientificName: candidate.scientificName,
    commonName: names(candidate.label),
    score: round(candidate.score),
    confidence: round(candidate.confidence),
    confidenceWord: candidate.confidenceWord,
    unusualHere: candidate.unusualHere,
    occurrence: candidate.occurrence === null ? null : round(candidate.occurrence),
    ...wordField(occurrenceWord(candidate.label)),
    ...(regionsOfLabels?.[candidate.label] ? { regions: regionsOfLabels[candidate.label]?.split(' ') } : {}),
    ...(candidate.assumed === null ? {} : { assumed: candidate.assumed }),
    best: span(candidate.best, speed),
  });
  const notExpectedHere = verdict.notExpectedHere === null ? null : nameCandidate(verdict.notExpectedHere);
  const [first, second] = answer.candidates;
  const genus =
    verdict.genus === null || first === undefined || second === undefined
      ? null
      : { name: verdict.genus, species: [names(first.label), names(second.label)] as const };
  const lookAlikeOf = (label: number): LookAlike | null => {
    const confused = (confusions.get(label) ?? []).filter((other) => occurrenceWord(other.label) !== 'notKnown');
    const found = findLookAlike(confused, verdict.alsoSoundsLike, (other) => occurrenceOf(other) ?? 1);
    if (found === null) return null;
    const { label: other, confidence, best, ...why } = found;
    const here = occurrenceOf(other);
    return {
      scientificName: scientificNameOf(other),
      commonName: names(other),
      ...why,
      ...(confidence === undefined ? {} : { confidence: round(confidence) }),
      ...(best === undefined ? {} : { best: span(best, speed) }),
      occurrence: here === null ? null : round(here),
      ...wordField(occurrenceWord(other)),
    };
  };
  const surest = verdict.named.find(({ rank }) => rank === 1);
  const lookAlike = surest && needsLookAlike(nameCandidate(surest)) ? lookAlikeOf(surest.label) : null;
  const named = verdict.named.map((bird) => ({ ...nameCandidate(bird), firstSeconds: secondsOf(bird.firstSeconds, speed) }));
  const sentence = verdictSentence({
    kind: verdict.kind,
    tied: verdict.tied,
    named: birdsOfSentence(verdict, named),
    genus,
    notExpectedHere,
    language,
  });
  return {
    verdict: {
      kind: verdict.kind,
      tied: verdict.tied,
      sentence,
      named: [...entriesOf(named, verdict.tied)],
      genus: verdict.genus,
      notExpectedHere,
      ...(verdict.tied || lookAlike === null ? {} : { lookAlike }),
    },
    candidates: answer.isClearlyNoBird ? [] : answer.candidates.slice(0, top).map(nameCandidate),
    detections: answer.detections.map((detection) => formatDetection(detection, names, speed)),
    // Present even when undefined, so that it overrides the value of the prediction that is recomputed.
    detectionsLeftOut: answer.detectionsLeftOut > 0 ? answer.detectionsLeftOut : undefined,
    hiddenByLocation: answer.hiddenByLocation.slice(0, top).map(nameCandidate),
    otherSounds: answer.otherSounds.map((sound) => ({
      label: names(sound.label),
      score: round(sound.score),
      ...span(sound, speed),
    })),
    checkUp: answer.checkUp.map(roundShare),
  };
}

export function formatDetection(detection: AnswerDetection, names: NameOfLabel, speed?: number): Detection {
  return {
    scientificName: detection.scientificName,
    commonName: names(detection.label),
    ...span(detection, speed),
    score: round(detection.score),
    confidence: round(detection.confidence),
    occurrence: detection.occurrence === null ? null : round(detection.occurrence),
    hidden: detection.hidden,
    ...(detection.kind === undefined ? {} : { kind: detection.kind === 'nonBird' ? 'animal' : 'sound' }),
  };
}

/** The same for early detections. @param words of the birds so far, by label; null while they are not known */
export function formatEarlyDetections(
  detections: readonly UnnamedDetection[],
  names: NameOfLabel,
  words: ReadonlyMap<number, ConfidenceWord> | null = null,
): EarlyDetection[] {
  return detections.map((detection) => ({
    scientificName: detection.scientificName,
    commonName: names(detection.label),
    ...span(detection),
    score: round(detection.score),
    ...(words === null ? {} : { confidenceWord: words.get(detection.label) ?? 'none' }),
  }));
}

const wordField = (occurrenceWord: OccurrenceWord | null) => (occurrenceWord === null ? {} : { occurrenceWord });

/** A time of what was analysed as one of the recording. */
const secondsOf = (seconds: number, speed = 1): number => round(round(seconds) * speed);

const span = ({ startSeconds, endSeconds }: { startSeconds: number; endSeconds: number }, speed?: number) => ({
  startSeconds: secondsOf(startSeconds, speed),
  endSeconds: secondsOf(endSeconds, speed),
});
