import { describe, expect, it } from 'vitest';
import { fakeModel } from '../testing/fake-model.ts';
import { confidenceWordOf, isTied, rankBirds, verdictKindOf } from './verdict.ts';

const { words, tie } = fakeModel([['Turdus merula', 'bird']]).manifest.calibration;

describe('The confidence word', () => {
  it.each([
    [1, 'veryLikely'],
    [0.9, 'veryLikely'],
    [0.899, 'likely'],
    [0.7, 'likely'],
    [0.699, 'perhaps'],
    [0.5, 'perhaps'],
    [0.499, 'notSure'],
    [0.25, 'notSure'],
    [0.249, 'none'],
    [0, 'none'],
  ])('of %f is %s', (confidence, word) => {
    expect(confidenceWordOf(confidence, words)).toBe(word);
  });
});

describe('Birds at an assumed place', () => {
  const bird = (scientificName: string, confidence: number, assumed: 'here' | 'elsewhere') => ({
    ...{ scientificName, confidence, assumed },
  });
  const ranked = (...birds: readonly ReturnType<typeof bird>[]) =>
    rankBirds(birds, words).map(({ scientificName }) => scientificName);
  const american = bird('Certhia americana', 0.96, 'elsewhere');

  it.each([
    [0.25, ['Certhia familiaris', 'Certhia americana']],
    [0.249, ['Certhia americana', 'Certhia familiaris']],
  ])(
    'are ranked with one from elsewhere behind a local one of its genus from confidence 0.25 on (%f: %j)',
    (confidence, names) => {
      expect(ranked(american, bird('Certhia familiaris', confidence, 'here'))).toEqual(names);
    },
  );

  it.each([
    [0.7, ['Parus major', 'Certhia americana']],
    [0.699, ['Certhia americana', 'Parus major']],
  ])(
    'are ranked with one from elsewhere behind a local one of another genus from confidence 0.7 on (%f: %j)',
    (confidence, names) => {
      expect(ranked(american, bird('Parus major', confidence, 'here'))).toEqual(names);
    },
  );

  it('are ranked so that one from elsewhere is behind all others that have a word, and before fainter ones', () => {
    const other = bird('Sitta carolinensis', 0.1, 'elsewhere');
    const [major, robin, faint] = [
      bird('Parus major', 0.8, 'here'),
      bird('Erithacus rubecula', 0.3, 'here'),
      bird('Certhia familiaris', 0.2, 'here'),
    ];
    expect(ranked(american, major, robin, faint, other)).toEqual([
      ...['Parus major', 'Erithacus rubecula', 'Certhia americana', 'Certhia familiaris', 'Sitta carolinensis'],
    ]);
  });
});

describe('The verdict', () => {
  const kindOf = (confidences: readonly number[], tied = false) =>
    verdictKindOf(
      confidences.map((confidence) => ({ confidence })),
      tied,
      words,
    );

  it.each([
    [[], 'noBird'],
    [[0.249], 'noBird'],
    [[0.25, 0.2], 'unsure'],
    [[0.699, 0.4], 'unsure'],
    [[0.7, 0.699], 'identified'],
    [[0.95, 0.7], 'several'],
  ] as const)('for confidences %j is %s', (confidences, kind) => {
    expect(kindOf(confidences)).toBe(kind);
  });

  it('is unsure for a tie, however high the confidences', () => {
    expect(kindOf([0.75, 0.69], true)).toBe('unsure');
  });
});

describe('A tie of two birds', () => {
  const bird = (confidence: number, { passage = 0, clip = 0 } = {}) => ({ confidence, passage, clip });
  const calibration = { tie, words };

  it.each([
    [0.49, 0.4, true],
    [0.5, 0.399, false],
    [0.3, 0.25, true],
    [0.3, 0.249, false],
  ])('exists with confidences %f and %f: %s', (first, second, tied) => {
    expect(isTied(bird(first), bird(second, { clip: 1 }), calibration)).toBe(tied);
  });

  it('needs two birds of the same passage', () => {
    expect(isTied(bird(0.5, { passage: 1 }), bird(0.5, { passage: 2 }), calibration)).toBe(false);
    expect(isTied(bird(0.5), undefined, calibration)).toBe(false);
    expect(isTied(undefined, undefined, calibration)).toBe(false);
  });

  it.each([
    [0.65, 0.61, 0, true],
    [0.65, 0.61, 1, false],
    [0.75, 0.69, 0, true],
    [0.95, 0.94, 0, false],
  ])('exists with confidences %f and %f whose loudest clips are %i apart: %s', (first, second, clip, tied) => {
    expect(isTied(bird(first), bird(second, { clip }), calibration)).toBe(tied);
  });
});
