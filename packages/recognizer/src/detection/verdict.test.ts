import { describe, expect, it } from 'vitest';
import { fakeModel } from '../testing/fake-model.ts';
import { confidenceWordOf, isTied, verdictKindOf } from './verdict.ts';

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
  ])(
    'with confidences %f and %f, %i clips apart, requires the same clip or a bird that is not likely: %s',
    (first, second, clip, tied) => {
      expect(isTied(bird(first), bird(second, { clip }), calibration)).toBe(tied);
    },
  );
});
