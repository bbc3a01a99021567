import type { ConfidenceCounts, ConfidenceFigures, Confusion, SpeciesEvidence, WordEvidence } from '@chiffchaff/contract';
import type { Calibration } from '@chiffchaff/recognizer';
import { calibrationError, coverageAt } from '../evaluate/metrics.ts';
import { logLoss } from './logistic-fit.ts';

/** An answer with how certain it was. */
export interface CountedAnswer {
  /** Several answers about one recording tend to be right or wrong together. */
  readonly recording: string;
  readonly certainty: number;
  readonly right: boolean;
}

/** The first answer for a recording of a bird. `named` is the model's name for it; null when nothing was claimed. */
export interface FirstAnswer extends CountedAnswer {
  readonly named: string | null;
  /** the species in the recording, under the model's name if it has one */
  readonly species: string;
}

const CALIBRATION_BINS = 10;
/** Of a normal distribution, 90 % lies within this many standard deviations. */
const DEVIATIONS = 1.6449;

/** The words, most confident first, each with the answers that had it. */
export function countWords(answers: readonly CountedAnswer[], words: Calibration['words']): WordEvidence[] {
  const steps = (['veryLikely', 'likely', 'perhaps', 'notSure'] as const).map((word) => ({ word, from: words[word] }));
  return steps.map(({ word, from }, i) => {
    const below = steps[i - 1]?.from ?? Number.POSITIVE_INFINITY;
    const said = answers.filter(({ certainty }) => certainty >= from && certainty < below);
    const right = said.filter((answer) => answer.right).length;
    return { word, fromConfidence: from, toConfidence: Math.min(below, 1), right, of: said.length, share: shareOf(right, said) };
  });
}

/**
 * The share with its 90 % interval after Wilson (1927), which holds for few answers and for shares near 1 too. Answers about one
 * recording are taken to be fully alike, so that n answers about each of k recordings say as much as k answers. If some recordings have
 * more answers than others, they say as much as (Σn)² / Σn² (Kish 1965).
 */
function shareOf(right: number, said: readonly CountedAnswer[]): WordEvidence['share'] {
  if (said.length === 0) return null;
  const answersAbout = new Map<string, number>();
  for (const { recording } of said) answersAbout.set(recording, (answersAbout.get(recording) ?? 0) + 1);
  const independent = said.length ** 2 / [...answersAbout.values()].reduce((sum, count) => sum + count ** 2, 0);
  const value = right / said.length;
  const spread = DEVIATIONS ** 2 / independent;
  const middle = (value + spread / 2) / (1 + spread);
  const reach = Math.sqrt(spread * (value * (1 - value) + spread / 4)) / (1 + spread);
  return {
    value: rounded(value),
    low: rounded(Math.max(0, middle - reach)),
    high: rounded(Math.min(1, middle + reach)),
    independent: rounded(independent),
  };
}

/** Whether the interval of a word's share reaches the range of the word; null if there is no answer with the word. */
export function reachesRange({ fromConfidence, toConfidence = 1, share }: WordEvidence): boolean | null {
  return share ? share.high >= fromConfidence && share.low <= toConfidence : null;
}

/** Species named, with any word, in at least `minNamed` recordings; by name. */
export function countSpecies(
  answers: readonly FirstAnswer[],
  lowestWord: number,
  minNamed: number,
): Record<string, SpeciesEvidence> {
  const names = [...new Set(answers.flatMap(({ named }) => (named === null ? [] : [named])))].sort();
  return Object.fromEntries(
    names.flatMap((name) => {
      const namedSo = answers.filter(({ named, certainty }) => named === name && certainty >= lowestWord);
      if (namedSo.length < minNamed) return [];
      const recordings = answers.filter(({ species }) => species === name).length;
      return [[name, { named: namedSo.length, right: namedSo.filter(({ right }) => right).length, recordings }] as const];
    }),
  );
}

/** Species named, with any word, for recordings of another species; in alphabetical order. */
export function countConfusions(answers: readonly FirstAnswer[], lowestWord: number): Confusion[] {
  const pairs = new Map<string, Confusion>();
  for (const { named, species, right, certainty } of answers) {
    if (named === null || right || certainty < lowestWord) continue;
    const key = `${named}\n${species}`;
    pairs.set(key, { named, heard: species, recordings: (pairs.get(key)?.recordings ?? 0) + 1 });
  }
  return [...pairs].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, confusion]) => confusion);
}

/** @throws RangeError when there are no answers */
export function workOutConfidenceFigures(answers: readonly Pick<FirstAnswer, 'certainty' | 'right'>[]): ConfidenceFigures {
  const error = calibrationError(answers, CALIBRATION_BINS);
  if (error === null) throw new RangeError('no recordings of birds');
  const brier = answers.reduce((sum, { certainty, right }) => sum + (certainty - (right ? 1 : 0)) ** 2, 0) / answers.length;
  return {
    recordings: answers.length,
    right: answers.filter(({ right }) => right).length,
    calibrationError: rounded(error),
    brier: rounded(brier),
    logLoss: rounded(logLoss(answers.map(({ certainty, right }) => ({ chance: certainty, right, weight: 1 })))),
    coverage: coverageOf(answers),
  };
}

export function coverageOf(answers: readonly Pick<FirstAnswer, 'certainty' | 'right'>[]): ConfidenceFigures['coverage'] {
  return { at90: rounded(coverageAt(answers, 0.9) ?? 0), at95: rounded(coverageAt(answers, 0.95) ?? 0) };
}

/** Birds named in bird-free recordings. @param confidences of every claim about bird-free recordings */
export function countFalseAlarms(
  confidences: readonly number[],
  words: Calibration['words'],
  hours: number,
): ConfidenceCounts['falseAlarms'] {
  return [words.veryLikely, words.likely, words.perhaps].map((fromConfidence) => {
    const birds = confidences.filter((confidence) => confidence >= fromConfidence).length;
    return { fromConfidence, birds, perHour: hours === 0 ? 0 : rounded(birds / hours) };
  });
}

/** Rounds to four decimals: smaller differences are no evidence, and the files stay identical across machines. */
export function rounded(value: number): number {
  return Number(value.toFixed(4));
}
