import type { Answer } from '@chiffchaff/recognizer';
import { calibrationError, coverageAt, type Named, type Reliability, reliabilityAt, share, topShare } from './metrics.ts';

/** One recording of a species that the model knows, and what was answered. */
export interface Judged {
  readonly scientificName: string;
  readonly answer: Answer;
}

export interface Ranking {
  readonly top1: number | null;
  readonly top3: number | null;
  readonly top5: number | null;
  /** largest share of recordings that can be named with so many right */
  readonly coverageAt90: number | null;
  readonly coverageAt95: number | null;
}

/** How good the answers for a set of recordings are; shares are 0–1 of its recordings. */
export interface Figures {
  readonly recordings: number;
  readonly species: number;
  readonly byScore: Ranking;
  readonly byConfidence: Ranking;
  readonly reliability: readonly Reliability[];
  /** expected calibration error of the first answer's confidence */
  readonly calibrationError: number | null;
}

const THRESHOLDS = [0.25, 0.5, 0.7, 0.9] as const;
/** Ten bins of equal width, as the figure is mostly quoted. */
const CALIBRATION_BINS = 10;

type Candidates = Answer['candidates'];

/** @param judged answers that hold every candidate, so that they can be ranked by score too */
export function workOutFigures(judged: readonly Judged[]): Figures {
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
    calibrationError: calibrationError(named, CALIBRATION_BINS),
  };
}

function workOutRanking(
  judged: readonly { readonly scientificName: string; readonly ranked: Candidates }[],
  certainty: 'score' | 'confidence',
): Ranking {
  const ranks = judged.map(({ scientificName, ranked }) => rankOf(scientificName, ranked));
  const named = judged.map(({ scientificName, ranked }) => firstNamed(scientificName, ranked, certainty));
  return {
    top1: topShare(ranks, 1),
    top3: topShare(ranks, 3),
    top5: topShare(ranks, 5),
    coverageAt90: coverageAt(named, 0.9),
    coverageAt95: coverageAt(named, 0.95),
  };
}

function rankOf(scientificName: string, ranked: Candidates): number | null {
  const place = ranked.findIndex((candidate) => candidate.scientificName === scientificName);
  return place < 0 ? null : place + 1;
}

function firstNamed(scientificName: string, [first]: Candidates, certainty: 'score' | 'confidence'): Named {
  return { certainty: first?.[certainty] ?? 0, right: first?.scientificName === scientificName };
}

export interface WrongNames {
  readonly recordings: number;
  /** share of recordings whose first answer is another species, at each threshold of confidence */
  readonly named: readonly { readonly threshold: number; readonly share: number | null }[];
}

/** How often a bird that is not to be expected gets another one's name. @param heard the true name, null for one without a class */
export function workOutWrongNames(
  heard: readonly { readonly scientificName: string | null; readonly answer: Answer }[],
): WrongNames {
  return {
    recordings: heard.length,
    named: [0.5, 0.7, 0.9].map((threshold) => ({
      threshold,
      share: share(
        heard,
        ({
          scientificName,
          answer: {
            candidates: [first],
          },
        }) => first !== undefined && first.confidence >= threshold && first.scientificName !== scientificName,
      ),
    })),
  };
}

export interface FalseAlarms {
  readonly recordings: number;
  readonly hours: number;
  readonly named: readonly { readonly threshold: number; readonly birds: number; readonly perHour: number | null }[];
}

/** Birds that are named where there are none, an hour of sound. */
export function workOutFalseAlarms(heard: readonly { readonly answer: Answer; readonly seconds: number }[]): FalseAlarms {
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
