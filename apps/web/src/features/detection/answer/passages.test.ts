import type { BirdReview, Prediction } from '@chiffchaff/contract';
import { describe, expect, it } from 'vitest';
import { spoken } from '../../../languages/i18n.ts';
import { createWords } from '../../../platform/format/words.ts';
import { fakeCandidate, fakeConfig, fakeNamedBird, fakePrediction } from '../../../testing/fake-data.ts';
import { marksOf } from './passages.ts';

const bird = (rank: number, confidence: number, confidenceWord: 'likely' | 'perhaps' | 'notSure' | 'none') =>
  fakeCandidate({ rank, confidence, confidenceWord, scientificName: `Avis ${rank}`, commonName: `Bird ${rank}` });
const likely = bird(1, 0.8, 'likely');
const perhaps = bird(2, 0.6, 'perhaps');
const unsure = bird(3, 0.3, 'notSure');
const faint = bird(4, 0.1, 'none');
const { verdict } = fakePrediction();

/** The birds that have a lane, of an answer with one detection of each candidate. */
function withLane(part: Partial<Prediction>): readonly string[] {
  const { candidates = [], hiddenByLocation = [] } = part;
  const detections = [...candidates, ...hiddenByLocation].map(({ scientificName, commonName, confidence }) => ({
    ...{ scientificName, commonName, startSeconds: 0, endSeconds: 3, score: 0.5, confidence, occurrence: null },
    hidden: hiddenByLocation.some((hidden) => hidden.scientificName === scientificName),
  }));
  const prediction = fakePrediction({ candidates: [], hiddenByLocation: [], detections, ...part });
  const marks = marksOf(prediction, spoken.snapshot().t, createWords(fakeConfig.model?.words ?? null, spoken.snapshot().t, 'en'));
  const named = marks.filter(({ isNamed }) => isNamed);
  // They come first.
  expect(marks.slice(0, named.length)).toEqual(named);
  return named.map(({ label }) => label);
}

const said = (about: { scientificName: string; commonName: string }, part: Partial<BirdReview>): BirdReview => ({
  scientificName: about.scientificName,
  commonName: about.commonName,
  ...{ verdict: 'confirmed', to: null, toCommonName: null, at: '2026-05-01T06:00:00.000Z', ...part },
});

describe('The birds with a lane of their own in the timeline', () => {
  it('are those that the verdict names', () => {
    const named = [fakeNamedBird(likely), fakeNamedBird(perhaps)];
    expect(withLane({ verdict: { ...verdict, named }, candidates: [likely, perhaps, unsure, faint] })).toEqual([
      'Bird 1',
      'Bird 2',
    ]);
  });

  it('include birds of the verdict without a detection, with a dashed mark at their best moment only', () => {
    const named = [fakeNamedBird(likely), fakeNamedBird(perhaps)];
    const prediction = fakePrediction({ verdict: { ...verdict, named }, candidates: [likely, perhaps, unsure], detections: [] });
    const marks = marksOf(
      prediction,
      spoken.snapshot().t,
      createWords(fakeConfig.model?.words ?? null, spoken.snapshot().t, 'en'),
    );
    expect(
      marks.map(({ label, startSeconds, endSeconds, isFaint, isNamed }) => [label, startSeconds, endSeconds, isFaint, isNamed]),
    ).toEqual([
      ['Bird 1', 3, 6, true, true],
      ['Bird 2', 3, 6, true, true],
    ]);
  });

  it('are both birds of a tie', () => {
    const named = [{ ...fakeNamedBird(perhaps), tiedWith: fakeNamedBird({ ...unsure }) }];
    expect(
      withLane({ verdict: { ...verdict, kind: 'unsure', tied: true, named }, candidates: [perhaps, unsure, faint] }),
    ).toEqual(['Bird 2', 'Bird 3']);
  });

  it('are those that the sentence of the verdict names if no bird is at least “perhaps”', () => {
    const unclear = { ...verdict, kind: 'unsure' as const, named: [fakeNamedBird(unsure)] };
    expect(withLane({ verdict: unclear, candidates: [unsure, faint] })).toEqual(['Bird 3']);
    expect(withLane({ verdict: { ...unclear, genus: 'Avis' }, candidates: [unsure, faint] })).toEqual(['Bird 3', 'Bird 4']);
    const elsewhere = { ...verdict, kind: 'noBird' as const, named: [], notExpectedHere: likely };
    expect(withLane({ verdict: elsewhere, candidates: [faint], hiddenByLocation: [likely] })).toEqual(['Bird 1']);
  });

  it('are none if no bird was found', () => {
    expect(withLane({ verdict: { ...verdict, kind: 'noBird', named: [] }, candidates: [faint] })).toEqual([]);
  });

  it('include birds that a person named, and exclude birds that a person only rejected', () => {
    const answer = { verdict: { ...verdict, named: [fakeNamedBird(likely)] }, candidates: [likely, unsure, faint] };
    expect(withLane({ ...answer, reviews: [said(faint, {})] })).toEqual(['Bird 1', 'Bird 4']);
    const to = { to: unsure.scientificName, toCommonName: unsure.commonName };
    expect(withLane({ ...answer, reviews: [said(likely, { verdict: 'corrected', ...to })] })).toEqual(['Bird 1', 'Bird 3']);
    expect(withLane({ ...answer, reviews: [said(faint, { verdict: 'rejected' })] })).toEqual(['Bird 1']);
  });
});
