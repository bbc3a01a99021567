import type { Answer } from '@chiffchaff/recognizer';
import { calibrationError, coverageAt, reliabilityAt, type ScoredAnswer, share, topShare } from './metrics.ts';

/** A recording of a bird and its answer. */
export interface AnsweredRecording {
  /** the model's name; null when it has no class for the species */
  readonly scientificName: string | null;
  readonly answer: Answer;
}

const THRESHOLDS = [0.25, 0.5, 0.7, 0.9] as const;
/** Ten bins of equal width, as usual for this figure. */
const CALIBRATION_BINS = 10;

type Candidates = Answer['candidates'];

/**
 * The quality of the answers for a set of recordings; shares are 0–1 of its recordings.
 *
 * @param judged answers that contain every candidate, so that they can be ranked by score too
 */
export function workOutFigures(judged: readonly AnsweredRecording[]) {
  const byConfidence = judged.map(({ scientificName, answer }) => ({ scientificName, ranked: answer.candidates }));
  const byScore = byConfidence.map(({ scientificName, ranked }) => ({
    scientificName,
    ranked: [...ranked].sort((a, b) => b.score - a.score),
  }));
  const named = byConfidence.map(({ scientificName, ranked }) => firstNamed(scientificName, ranked, 'confidence'));
  return {
    recordings: judged.length,
    species: new Set(judged.map(({ scientificName }) => scientificName)).size,
    byScore: workOutRanking(byScore, 'score'),
    byConfidence: workOutRanking(byConfidence, 'confidence'),
    reliability: THRESHOLDS.map((threshold) => reliabilityAt(named, threshold)),
    /** expected calibration error of the first answer's confidence */
    calibrationError: calibrationError(named, CALIBRATION_BINS),
  };
}

function workOutRanking(
  judged: readonly { readonly scientificName: string | null; readonly ranked: Candidates }[],
  certainty: 'score' | 'confidence',
) {
  const ranks = judged.map(({ scientificName, ranked }) => rankOf(scientificName, ranked));
  const named = judged.map(({ scientificName, ranked }) => firstNamed(scientificName, ranked, certainty));
  return {
    top1: topShare(ranks, 1),
    top3: topShare(ranks, 3),
    top5: topShare(ranks, 5),
    /** largest share of recordings that can be named with at least this share of them right */
    coverageAt90: coverageAt(named, 0.9),
    coverageAt95: coverageAt(named, 0.95),
  };
}

function rankOf(scientificName: string | null, ranked: Candidates): number | null {
  const place = ranked.findIndex((candidate) => candidate.scientificName === scientificName);
  return place < 0 ? null : place + 1;
}

function firstNamed(scientificName: string | null, [first]: Candidates, certainty: 'score' | 'confidence'): ScoredAnswer {
  return { certainty: first?.[certainty] ?? 0, right: first?.scientificName === scientificName };
}

/** How often an unexpected bird gets the name of another. */
export function workOutWrongNames(heard: readonly AnsweredRecording[]) {
  return {
    recordings: heard.length,
    named: [0.5, 0.7, 0.9].map((threshold) => ({
      threshold,
      /** share of recordings whose first answer is another species */
      share: share(heard, ({ scientificName, answer }) => {
        const [first] = answer.candidates;
        return first !== undefined && first.confidence >= threshold && first.scientificName !== scientificName;
      }),
    })),
  };
}

/** Birds named in bird-free recordings, per hour. */
export function workOutFalseAlarms(heard: readonly { readonly answer: Answer; readonly seconds: number }[]) {
  const hours = heard.reduce((sum, { seconds }) => sum + seconds, 0) / 3600;
  return {
    recordings: heard.length,
    hours,
    named: [0.5, 0.9].map((threshold) => {
      const birds = heard.reduce(
        (sum, { answer }) => sum + answer.candidates.filter(({ confidence }) => confidence >= threshold).length,
        0,
      );
      return { threshold, birds, perHour: hours === 0 ? null : birds / hours };
    }),
  };
}
