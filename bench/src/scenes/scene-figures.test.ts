import { describe, expect, it } from 'vitest';
import { compareScenes, workOutDetections, workOutSceneFigures } from './scene-figures.ts';
import type { JudgedScene, SceneClaim } from './try-scenes.ts';

const words = { veryLikely: 0.9, likely: 0.7, perhaps: 0.5, notSure: 0.25 };
const claim = (label: number, confidence: number, state: SceneClaim['state']): SceneClaim => ({
  ...{ label, confidence, state },
  score: 1 - confidence,
});
/** A scene with two audible birds, labels 1 and 2, 5 and 12 dB below the loudest. */
const scene = (name: string, claims: readonly SceneClaim[], more: Partial<JudgedScene> = {}): JudgedScene => ({
  ...{ condition: 'no place', scene: name, maker: 'excerpts', seconds: 60, alone: null },
  birds: [
    { label: 1, file: `${name}1`, decibels: -4, isAudible: true },
    { label: 2, file: `${name}2`, decibels: -12, isAudible: true },
  ],
  claims,
  ...more,
});
const chorusOf = (scenes: readonly JudgedScene[]) => {
  const { groups, ...figures } = workOutSceneFigures(scenes, words);
  return { ...figures, chorus: groups.find(({ group }) => group === '2 to 6 birds') };
};

describe('The figures of test scenes with several birds', () => {
  const scenes = [
    scene('a', [claim(1, 0.95, 'right'), claim(3, 0.8, 'unknown'), claim(2, 0.4, 'right')]),
    scene('b', [claim(1, 0.75, 'right'), claim(9, 0.72, 'wrong')]),
  ];

  it('count every audible bird as one to find; unlabelled birds only widen the bounds of the precision', () => {
    expect(chorusOf(scenes).chorus).toMatchObject({
      toFind: 4,
      found: { share: 0.5, precision: 2 / 3, bounds: [0.5, 0.75], wrongPerScene: 0.5 },
    });
  });

  it('contain the share of birds found at a required precision, by confidence and by score', () => {
    // Surest first: right, right, wrong, right. By score it is the other way round.
    expect(chorusOf(scenes).chorus?.ofAudible).toEqual({
      confidence: { at90: 0.5, at95: 0.5 },
      score: { at90: 0.25, at95: 0.25 },
    });
  });

  it('contain the share of birds found by number of birds and by level', () => {
    const { byBirds, byLevel } = chorusOf(scenes);
    expect(byBirds.find(({ birds }) => birds === 2)?.found).toBe(0.5);
    expect(byLevel.map(({ found }) => found)).toEqual([1, null, 0, null]);
  });
});

it('Birds named in test scenes without birds are counted for each word of confidence and the surer ones', () => {
  const without = { birds: [], seconds: 3600 };
  expect(workOutSceneFigures([scene('c', [claim(3, 0.8, 'wrong'), claim(4, 0.6, 'unknown')], without)], words).empty).toEqual({
    hours: 1,
    named: [
      { from: 0.5, birds: 1 },
      { from: 0.7, birds: 1 },
      { from: 0.9, birds: 0 },
    ],
  });
});

it('Test scenes in which birds quieter by 6 dB or more change the word of the loudest by more than a step are counted', () => {
  const overlay = (confidence: number, more: Partial<JudgedScene> = {}) =>
    scene(`${confidence}`, [claim(1, confidence, 'right')], { maker: 'overlay', alone: 0.95, ...more });
  const louder = overlay(0.4, {
    birds: [0, -5].map((decibels, label) => ({ label, file: `${label}`, decibels, isAudible: true })),
  });
  expect(workOutSceneFigures([overlay(0.8), overlay(0.6), louder], words).overlay).toEqual({ of: 2, moved: 1 });
});

it('Detections are counted by word of confidence, in test scenes and recordings of one bird, unless their truth is unknown', () => {
  const detection = (isScene: boolean, confidence: number, state: SceneClaim['state']) => ({
    ...{ isScene, confidence, state },
    ...{ condition: 'no place' as const, about: `${confidence}` },
  });
  const [scenes, one] = workOutDetections(
    [
      detection(true, 0.95, 'right'),
      detection(true, 0.6, 'unknown'),
      detection(true, 0.55, 'wrong'),
      detection(false, 0.8, 'right'),
    ],
    words,
  );
  expect(scenes).toMatchObject({ of: 2, words: [{ right: 1, of: 1 }, { of: 0 }, { right: 0, of: 1 }, { of: 0 }] });
  expect(scenes?.calibrationError).toBeCloseTo((0.05 + 0.55) / 2);
  expect(one).toMatchObject({ of: 1, words: [{ of: 0 }, { right: 1, of: 1 }, { of: 0 }, { of: 0 }] });
});

describe('The comparison of two runs over the same test scenes', () => {
  const runOf = (confidence: number) =>
    Array.from({ length: 40 }, (_, index) =>
      scene(`s${index}`, [
        claim(1, 0.95, 'right'),
        claim(2, confidence, 'right'),
        claim(9, 0.5, index % 2 ? 'wrong' : 'unknown'),
      ]),
    );

  it('finds no gain if both runs name the same birds', () => {
    const same = { gain: 0, low: 0, high: 0 };
    expect(compareScenes(runOf(0.4), runOf(0.4), 1)).toEqual({ at90: same, at95: same });
  });

  it('finds a gain, and an interval around it, if a bird now ranks before wrong names', () => {
    const { at90 } = compareScenes(runOf(0.4), runOf(0.6), 1);
    expect(at90.gain).toBeCloseTo(0.5);
    expect(at90.low).toBeLessThan(0.5);
    expect(at90.low).toBeGreaterThan(0.3);
    expect(at90.high).toBeGreaterThan(0.5);
  });
});
