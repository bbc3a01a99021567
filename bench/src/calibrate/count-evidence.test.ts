import { describe, expect, it } from 'vitest';
import {
  countConfusions,
  countFalseAlarms,
  countSpecies,
  countWords,
  type FirstAnswer,
  reachesRange,
  workOutConfidenceFigures,
} from './count-evidence.ts';

const words = { veryLikely: 0.9, likely: 0.7, perhaps: 0.5, notSure: 0.25 };
const answer = (certainty: number, named: string, species = named, recording = ''): FirstAnswer => ({
  recording,
  certainty,
  named,
  species,
  right: named === species,
});

it('The test of the words of confidence counts each word from its lowest confidence up to the next word’s', () => {
  const answers = [answer(1, 'a'), answer(0.9, 'a', 'b'), answer(0.8999, 'a'), answer(0.5, 'a'), answer(0.2, 'a')];
  expect(countWords(answers, words).map(({ right, of }) => [right, of])).toEqual([
    [1, 2],
    [1, 1],
    [1, 1],
    [0, 0],
  ]);
});

describe('The share of right answers for a word of confidence', () => {
  /** @param right for each recording, whether each of its answers is right */
  const shareIn = (right: readonly (readonly boolean[])[], certainty = 0.95) => {
    const answers = right.flatMap((each, i) => each.map((isRight) => answer(certainty, 'a', isRight ? 'a' : 'b', `${i}`)));
    return countWords(answers, words);
  };
  const repeated = (count: number, each: readonly boolean[]) => Array.from({ length: count }, () => each);

  it('has the 90 % interval of Wilson’s method', () => {
    // The two shares p for which (8/10 − p)² = 1.6449² · p · (1 − p) / 10.
    const [surest] = shareIn([...repeated(8, [true]), ...repeated(2, [false])]);
    expect(surest?.share).toMatchObject({ value: 0.8, independent: 10 });
    expect(surest?.share?.low).toBeCloseTo(0.5408, 3);
    expect(surest?.share?.high).toBeCloseTo(0.9314, 3);
    const [always] = shareIn(repeated(10, [true]));
    expect(always?.share).toMatchObject({ value: 1, high: 1 });
    expect(always?.share?.low).toBeCloseTo(0.7871, 3);
  });

  it('has the same interval whether each recording gives one answer or three', () => {
    const once = [...repeated(8, [true]), ...repeated(2, [false])];
    const [surest] = shareIn(once.map(([isRight = false]) => [isRight, isRight, isRight]));
    expect(surest).toMatchObject({ right: 24, of: 30 });
    expect(surest?.share).toEqual(shareIn(once)[0]?.share);
  });

  it('has the interval of fewer answers than recordings if one recording gives more answers than the others', () => {
    // (1 + 1 + 4)² / (1 + 1 + 16)
    expect(shareIn([[true], [true], repeated(4, [true]).flat()])[0]?.share?.independent).toBe(2);
  });

  it('agrees with the range of its word if its interval overlaps that range, and is null if no answer had the word', () => {
    const [surest, likely] = shareIn([[true]]);
    expect([surest?.toConfidence, likely?.toConfidence]).toEqual([1, 0.9]);
    expect(likely?.share).toBeNull();
    if (!likely) expect.fail('no word');
    expect(reachesRange(likely)).toBeNull();
    const share = { value: 0.5, low: 0.3, high: 0.7, independent: 10 };
    expect(reachesRange({ ...likely, share })).toBe(true);
    expect(reachesRange({ ...likely, share: { ...share, high: 0.69 } })).toBe(false);
    expect(reachesRange({ ...likely, share: { ...share, low: 0.91, high: 1 } })).toBe(false);
  });
});

it('The test results by species count only answers with a word of confidence, and omit species with few recordings', () => {
  const answers = [answer(0.9, 'Parus major'), answer(0.3, 'Parus major', 'Parus ater'), answer(0.2, 'Parus major')];
  expect(countSpecies([...answers, answer(0.9, 'Rara avis')], 0.25, 2)).toEqual({
    'Parus major': { named: 2, right: 1, recordings: 2 },
  });
});

it('The confusions of a species count the wrong species named with a word of confidence in its recordings', () => {
  const answers = [answer(0.9, 'b', 'a'), answer(0.3, 'b', 'a'), answer(0.2, 'b', 'a'), answer(0.9, 'a'), answer(0.5, 'a', 'c')];
  expect(countConfusions(answers, 0.25)).toEqual([
    { named: 'a', heard: 'c', recordings: 1 },
    { named: 'b', heard: 'a', recordings: 2 },
  ]);
});

it('The calibration error, Brier score and log loss of answers are those worked out by hand', () => {
  // Two bins: 0.8 and 0.8 with one right, 0.3 with none.
  const figures = workOutConfidenceFigures([answer(0.8, 'a'), answer(0.8, 'a', 'b'), answer(0.3, 'a', 'b')]);
  expect(figures.calibrationError).toBeCloseTo((Math.abs(1.6 - 1) + 0.3) / 3, 4);
  expect(figures.brier).toBeCloseTo((0.04 + 0.64 + 0.09) / 3, 4);
  expect(figures.logLoss).toBeCloseTo((-Math.log(0.8) - Math.log(0.2) - Math.log(0.7)) / 3, 4);
  expect(() => workOutConfidenceFigures([])).toThrow(RangeError);
});

it('The false alarms in bird-free recordings are counted for each word of confidence, and per hour', () => {
  expect(countFalseAlarms([0.95, 0.6, 0.1], words, 0.5)).toEqual([
    { fromConfidence: 0.9, birds: 1, perHour: 2 },
    { fromConfidence: 0.7, birds: 1, perHour: 2 },
    { fromConfidence: 0.5, birds: 2, perHour: 4 },
  ]);
});
