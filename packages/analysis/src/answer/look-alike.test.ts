import type { Confusion } from '@chiffchaff/contract';
import type { SpeciesTable } from '@chiffchaff/recognizer';
import { describe, expect, it } from 'vitest';
import { confusionsOf } from './confusions.ts';
import { findLookAlike, needsLookAlike } from './look-alike.ts';

const names = ['Parus major', 'Cyanistes caeruleus', 'Poecile palustris', 'Corvus corone'];
const species: SpeciesTable = {
  labels: names.map((scientificName, index) => ({ index, scientificName, labelName: scientificName, kind: 'bird' })),
  birdCount: names.length,
  isBird: Uint8Array.of(1, 1, 1, 1),
};
const [major, blue, marsh] = [0, 1, 2];
const confusion = (named: string, heard: string, recordings: number): Confusion => ({ named, heard, recordings });

describe('The confusions of a species in tests', () => {
  it('count birds taken for the species and the species taken for them, from three recordings on', () => {
    const counted = confusionsOf(species, [
      confusion('Parus major', 'Cyanistes caeruleus', 2),
      confusion('Cyanistes caeruleus', 'Parus major', 1),
      confusion('Parus major', 'Poecile palustris', 2),
      confusion('Parus major', 'Pica unknown', 9),
    ]);
    expect(counted.get(major)).toEqual([{ label: blue, recordings: 3 }]);
    expect(counted.get(blue)).toEqual([{ label: major, recordings: 3 }]);
    expect(counted.get(marsh)).toEqual([]);
  });
});

describe('The look-alike named beside a candidate', () => {
  const similar = { label: marsh, confidence: 0.2, best: { startSeconds: 3, endSeconds: 6 } };
  const confused = [
    { label: blue, recordings: 3 },
    { label: marsh, recordings: 6 },
  ];

  it('is the bird most often confused with it in tests, weighted by occurrence at the place', () => {
    expect(findLookAlike(confused, similar, () => 1)).toEqual({ reason: 'confusedInTests', label: marsh, recordings: 6 });
    expect(findLookAlike(confused, similar, (label) => (label === marsh ? 0.1 : 0.3))).toMatchObject({ label: blue });
  });

  it('is the next best bird of the same passage if tests showed no confusions', () => {
    expect(findLookAlike([], similar, () => 1)).toEqual({ reason: 'soundsAlike', ...similar });
    expect(findLookAlike([], null, () => 1)).toBeNull();
  });

  it.each([
    [{ confidenceWord: 'likely', unusualHere: false }, false],
    [{ confidenceWord: 'perhaps', unusualHere: false }, true],
    [{ confidenceWord: 'veryLikely', unusualHere: true, occurrenceWord: 'seldomReported' }, true],
    [{ confidenceWord: 'veryLikely', unusualHere: false, occurrenceWord: 'notKnown' }, true],
    [{ confidenceWord: 'veryLikely', unusualHere: false, occurrenceWord: 'expected' }, false],
  ] as const)('is named only for a candidate that is less than likely or unusual at the place (%o: %s)', (bird, needed) => {
    expect(needsLookAlike(bird)).toBe(needed);
  });
});
