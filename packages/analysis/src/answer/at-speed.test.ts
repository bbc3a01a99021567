import type { NamedBird } from '@chiffchaff/contract';
import { expect, it } from 'vitest';
import { atSpeed } from './at-speed.ts';
import type { FormattedAnswer } from './format-answer.ts';

const bird = (firstSeconds: number): NamedBird => ({
  ...{ rank: 1, scientificName: 'Parus major', commonName: 'Great Tit', score: 0.5, confidence: 0.4, confidenceWord: 'notSure' },
  ...{ unusualHere: false, occurrence: null, best: { startSeconds: firstSeconds + 1, endSeconds: firstSeconds + 4 } },
  firstSeconds,
});

it('A prediction at another playing speed has the times of both birds of a tie converted to the recording’s', () => {
  const verdict = { kind: 'unsure' as const, tied: true, sentence: '', genus: null, notExpectedHere: null };
  const none = { candidates: [], detections: [], hiddenByLocation: [], otherSounds: [], checkUp: [] };
  const answer: FormattedAnswer = { verdict: { ...verdict, named: [{ ...bird(8), tiedWith: bird(16) }] }, ...none };
  expect(atSpeed(answer, 0.125).verdict.named).toMatchObject([
    {
      firstSeconds: 1,
      best: { startSeconds: 1.125, endSeconds: 1.5 },
      tiedWith: { firstSeconds: 2, best: { startSeconds: 2.125, endSeconds: 2.5 } },
    },
  ]);
});
