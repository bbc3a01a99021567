import { describe, expect, it } from 'vitest';
import { readLabels } from '../labels.ts';
import { labelsCsv } from '../testing/fake-tables.ts';
import { fitThresholds, type LabelledDetection } from './fit-thresholds.ts';
import { labelledDetections } from './labelled-detections.ts';
import { broadPrior, fitPosterior, inputOf, type LabelledScore, learnPrior } from './posterior.ts';
import { findThreshold } from './threshold.ts';
import { reachesThreshold, readThresholds, thresholdHeader, thresholdRow } from './threshold-table.ts';

const told = (...labels: readonly (readonly [confidence: number, isRight: 0 | 1])[]): LabelledScore[] =>
  labels.map(([confidence, isRight]) => ({ confidence, isRight: isRight === 1 }));

/** Pseudo-random numbers, the same every time. */
function createChance(seed: number) {
  let state = seed;
  const next = (): number => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return state / 4_294_967_296;
  };
  return { next, normal: () => Math.sqrt(-2 * Math.log(next() + 1e-12)) * Math.cos(2 * Math.PI * next()) };
}

/** Without a ceiling, the model is logistic regression. */
const logistic = { ...broadPrior, noCeiling: 1 };

// Computed once in Python by brute force on a grid of 700 × 700 (with ceilings: 240 × 160 × 60), with the same prior.
const ten = told([0.95, 1], [0.9, 1], [0.8, 1], [0.7, 0], [0.6, 1], [0.5, 0], [0.4, 0], [0.3, 0], [0.85, 1], [0.2, 0]);
const tenths = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95];

describe('The posterior of the precision of a species’ detections', () => {
  it('equals a reference computed by brute force', () => {
    const { mean, covariance } = fitPosterior(ten, logistic);
    const withCeiling = fitPosterior(ten, broadPrior);
    for (const [found, expected] of [
      [mean, [-0.6725, 1.3262]],
      [covariance, [0.5555, -0.0737, 0.1734]],
      [withCeiling.mean, [-0.5112, 1.3217]],
      [
        [withCeiling.noCeiling, withCeiling.ceilingMean],
        [0.3632, 0.8673],
      ],
    ] as const)
      for (const [index, value] of expected.entries()) expect(found[index]).toBeCloseTo(value, 2);
  });

  it('equals the prior if there are no labels', () => {
    const { mean, covariance } = fitPosterior([], broadPrior);
    expect(mean[0]).toBeCloseTo(0, 2);
    expect(mean[1]).toBeCloseTo(1, 1);
    expect(Math.sqrt(covariance[0])).toBeCloseTo(1.5, 1);
  });

  it('is found even if two hundred labels contradict the prior', () => {
    const wrong = Array.from({ length: 200 }, (_, index) => [0.99 - index / 400, 0] as const);
    const { mean } = fitPosterior(told(...wrong), broadPrior);
    expect(mean[0]).toBeLessThan(-3.5);
  });
});

describe('The prior of the precision of a species’ detections', () => {
  it('is a broad one if there are few species, else it is estimated from all species together', () => {
    expect(learnPrior([ten, ten])).toBe(broadPrior);
    const { mean, sd } = learnPrior(Array.from({ length: 30 }, () => ten));
    expect(mean[0]).toBeLessThan(-0.4);
    expect(sd[0]).toBeLessThan(1.2);
  });
});

describe('The threshold of a species', () => {
  it('is the lowest confidence with the wanted precision, with the reference’s interval', () => {
    const found = findThreshold(fitPosterior(ten, logistic), tenths, 0.75);
    expect(found.threshold).toBe(0.8);
    expect(found.precision).toBeCloseTo(0.8456, 2);
    expect(found.precisionInterval.low).toBeCloseTo(0.6345, 1);
    expect(found.precisionInterval.high).toBeCloseTo(0.9681, 1);
    expect(findThreshold(fitPosterior(ten, logistic), tenths, 0.84).threshold).toBe(0.9);
    expect(found.kept).toBeGreaterThan(0.5);
    expect(found.kept).toBeLessThan(0.7);
    const withCeiling = findThreshold(fitPosterior(ten, broadPrior), tenths, 0.68);
    expect(withCeiling.threshold).toBe(0.8);
    expect(withCeiling.precision).toBeCloseTo(0.7844, 2);
    expect(withCeiling.precisionInterval.low).toBeCloseTo(0.5749, 1);
    expect(withCeiling.precisionInterval.high).toBeCloseTo(0.9507, 1);
  });

  it('is missing while there are too few labels to tell, and all detections are kept', () => {
    const all = { outcome: 'not enough labels', threshold: null, kept: expect.closeTo(1) };
    const same = (count: number, confidence: number, isRight: 0 | 1) =>
      told(...Array.from({ length: count }, () => [confidence, isRight] as const));
    for (const labels of [[], same(1, 0.7, 1), same(1, 0.7, 0), same(4, 0.9, 1), same(4, 0.9, 0), same(9, 0.9, 0)])
      expect(findThreshold(fitPosterior(labels, broadPrior), tenths, 0.9)).toMatchObject(all);
    // Half of these are right, and the surest may well be right often enough.
    const open = findThreshold(fitPosterior(ten, broadPrior), tenths, 0.95);
    expect(open).toMatchObject(all);
    expect(open.precision).toBeLessThan(0.6);
    expect(open.precisionInterval.high).toBeLessThan(0.8);
  });

  it('is none if the labels show that no confidence is high enough, and the lowest confidence if every one is', () => {
    const labels = told(...Array.from({ length: 30 }, (_, index) => [0.4 + index / 55, index % 2 === 0 ? 1 : 0] as const));
    const never = findThreshold(fitPosterior(labels, broadPrior), tenths, 0.95);
    expect(never).toMatchObject({ outcome: 'no confidence is high enough', threshold: null, kept: 0 });
    expect(never.precisionInterval.high).toBeLessThan(0.95);
    const always = fitPosterior(told(...Array.from({ length: 60 }, (_, index) => [0.3 + index / 100, 1] as const)), broadPrior);
    expect(findThreshold(always, tenths.slice(2), 0.9)).toMatchObject({ threshold: 0.3, kept: expect.closeTo(1) });
  });

  it('comes with the precision below 1 at which surer detections level off, and an interval that contains the true one', () => {
    const chance = createChance(8);
    const confidences = Array.from({ length: 200 }, (_, index) => 0.05 + (0.94 * index) / 200);
    const isRightAt = (confidence: number) => 0.85 / (1 + Math.exp(-3 * inputOf(confidence) - 1));
    const labels = Array.from({ length: 250 }, () => {
      const confidence = confidences[Math.floor(chance.next() * 200)] ?? 0;
      return { confidence, isRight: chance.next() < isRightAt(confidence) };
    });
    const found = findThreshold(fitPosterior(labels, broadPrior), confidences, 0.8);
    const kept = confidences.filter((confidence) => confidence >= (found.threshold ?? 1));
    const truth = kept.reduce((sum, confidence) => sum + isRightAt(confidence), 0) / kept.length;
    expect(truth).toBeGreaterThan(0.75);
    expect(found.precisionInterval.low).toBeLessThan(truth);
    expect(found.precisionInterval.high).toBeGreaterThan(truth);
    expect(found.levelsOffAt).toBeGreaterThan(0.78);
    expect(found.levelsOffAt).toBeLessThan(0.92);
    expect(findThreshold(fitPosterior(labels, logistic), confidences, 0.8).levelsOffAt).toBeNull();
  });

  it('does not separate detections of the same confidence', () => {
    const confidences = [...Array.from({ length: 500 }, () => 0.9), ...Array.from({ length: 500 }, () => 0.2)];
    expect(findThreshold(fitPosterior(ten, logistic), confidences, 0.75).threshold).toBe(0.9);
  });

  it('has an interval that contains the true precision as often as stated', () => {
    const chance = createChance(3);
    const sigmoid = (x: number) => 1 / (1 + Math.exp(-x));
    const species = Array.from({ length: 40 }, () => {
      const [a, b] = [-0.3 + chance.normal(), Math.max(0.15, 0.9 + 0.3 * chance.normal())];
      const confidences = Array.from({ length: 120 }, () => Math.max(0.05, sigmoid(-0.5 + 1.8 * chance.normal())));
      const isRightAt = (confidence: number) => sigmoid(a + b * inputOf(confidence));
      const labels = Array.from({ length: 15 }, () => {
        const confidence = confidences[Math.floor(chance.next() * confidences.length)] ?? 0;
        return { confidence, isRight: chance.next() < isRightAt(confidence) };
      });
      return { confidences, labels, isRightAt };
    });
    const prior = learnPrior(species.map(({ labels }) => labels));
    const held = species.filter(({ confidences, labels, isRightAt }) => {
      const { outcome, threshold, precisionInterval } = findThreshold(fitPosterior(labels, prior), confidences, 0.9);
      const from = outcome === 'no confidence is high enough' ? Math.max(...confidences) : (threshold ?? 0);
      const kept = confidences.filter((confidence) => confidence >= from);
      const truth = kept.reduce((sum, confidence) => sum + isRightAt(confidence), 0) / kept.length;
      return precisionInterval.low <= truth && truth <= precisionInterval.high;
    });
    // About 90 % of 40; `npm run trial -- thresholds` counts more.
    expect(held.length).toBeGreaterThanOrEqual(31);
    expect(held.length).toBeLessThanOrEqual(39);
  });
});

describe('Labels for thresholds', () => {
  it('make each detection right or wrong once: wrong if it is another bird, neither if people are unsure or disagree', () => {
    const labels = readLabels(
      labelsCsv(
        ['Ada', 'a.wav', 0, 'Parus major', 'no'],
        ['Ada', 'a.wav', 0, 'Parus major', 'yes'],
        ['Ada', 'a.wav', 3, 'Parus major', 'other', 'Apus apus'],
        ['Ada', 'a.wav', 6, 'Parus major', 'unsure'],
        ['Ada', 'a.wav', 9, 'Parus major', 'yes'],
        ['Bob', 'a.wav', 9, 'Parus major', 'no'],
        ['Ada', 'a.wav', 12, 'Parus major', 'yes'],
      ),
      'labels.csv',
    );
    const key = (start: number) => JSON.stringify(['a.wav', start.toFixed(2), (start + 3).toFixed(2), 'Parus major']);
    const confidences = new Map([0, 3, 6, 9].map((start) => [key(start), 0.5 + start / 100]));
    expect(labelledDetections(labels, confidences)).toEqual({
      labelled: [
        { scientificName: 'Parus major', confidence: 0.5, isRight: true },
        { scientificName: 'Parus major', confidence: 0.53, isRight: false },
      ],
      unsure: 2,
      unknown: 1,
    });
  });
});

describe('A table of thresholds of species (`chiffchaff thresholds`)', () => {
  const labelled: LabelledDetection[] = [
    ...ten.map((label) => ({ ...label, scientificName: 'Parus major' })),
    ...told([0.9, 0], [0.8, 0], [0.7, 0]).map((label) => ({ ...label, scientificName: 'Apus apus' })),
    ...tenths
      .flatMap((confidence) => told([confidence, 0], [confidence, 0]))
      .map((each) => ({ ...each, scientificName: 'Anas acuta' })),
  ];
  const found = fitThresholds(labelled, new Map([['Parus major', tenths]]), 0.68);
  const table = thresholdHeader() + found.map((each) => thresholdRow(each, 0.68)).join('');

  it('has one row for each species, and gives the same thresholds when it is read again', () => {
    expect(found.map(({ scientificName, labels, right, detections }) => [scientificName, labels, right, detections])).toEqual([
      ['Anas acuta', 20, 0, 20],
      ['Apus apus', 3, 0, 3],
      ['Parus major', 10, 5, 10],
    ]);
    const thresholds = readThresholds(table, 'thresholds.csv');
    expect([...thresholds]).toEqual([
      ['Anas acuta', Number.POSITIVE_INFINITY],
      ['Apus apus', null],
      ['Parus major', 0.8],
    ]);
    const heard = [
      { scientificName: 'Parus major', confidence: 0.8 },
      { scientificName: 'Parus major', confidence: 0.79 },
      { scientificName: 'Anas acuta', confidence: 1 },
      { scientificName: 'Apus apus', confidence: 0.1 },
      { scientificName: 'Pica pica', confidence: 0.1 },
    ];
    expect(heard.map((each) => reachesThreshold(each, thresholds))).toEqual([true, false, false, true, true]);
    expect(table).toContain('Apus apus,0.68,,not enough labels,');
  });

  it('can be written by hand, and is refused with the line that is wrong', () => {
    expect([...readThresholds('Scientific name,Threshold\nPica pica,0.5\n', 'mine.csv')]).toEqual([['Pica pica', 0.5]]);
    expect([...readThresholds('Scientific name,Threshold\npica  Pica,0.5\n', 'mine.csv')]).toEqual([['Pica pica', 0.5]]);
    expect(() => readThresholds('Scientific name,Threshold\nPica pica,0.5\npica pica,0.6\n', 'mine.csv')).toThrow(
      'mine.csv: Line 3: "pica pica" is no Scientific name, which has one row.',
    );
    const header = 'Scientific name,Threshold,Outcome\n';
    expect([...readThresholds(`${header}Pica pica,,\nApus apus,,no confidence is high enough\n`, 'mine.csv')]).toEqual([
      ['Pica pica', null],
      ['Apus apus', Number.POSITIVE_INFINITY],
    ]);
    expect(() => readThresholds(`${header}Pica pica,,none\n`, 'mine.csv')).toThrow(
      'mine.csv: Line 2: "none" is no Outcome, which is found,',
    );
    expect(() => readThresholds('Scientific name,Threshold\nPica pica,50\n', 'mine.csv')).toThrow(
      'mine.csv: Line 2: "50" is no Threshold, which goes from 0 to 1.',
    );
    expect(() => readThresholds('Species,Limit\n', 'mine.csv')).toThrow('mine.csv has no column Scientific name, Threshold.');
  });
});
