import fc from 'fast-check';
import { expect, it } from 'vitest';
import { dealFolds, type Kinship } from './folds.ts';

it('The folds of a cross-validation keep recordings together that are linked by species or source, even indirectly', () => {
  const [tit, other, wren, alone] = dealFolds(
    [
      { file: 'a', kin: ['Parus major', 'XC1'] },
      { file: 'b', kin: ['Parus major', 'XC2'] },
      { file: 'c', kin: ['Troglodytes troglodytes', 'XC2'] },
      { file: 'd', kin: ['', ''] },
    ],
    1000,
  );
  expect(other).toBe(tit);
  expect(wren).toBe(tit);
  expect(alone).not.toBe(tit);
});

it('The folds of a cross-validation never divide recordings of one species or source, in whatever order they come', () => {
  const recording = fc.record({
    file: fc.uuid(),
    kin: fc.array(fc.constantFrom('', 'a', 'b', 'c', 'd', 'e', 'f'), { maxLength: 3 }),
  });
  fc.assert(
    fc.property(fc.array(recording, { maxLength: 30 }), (recordings) => {
      const folds = dealFolds(recordings, 7);
      const backwards = dealFolds([...recordings].reverse(), 7).reverse();
      expect(backwards).toEqual(folds);
      const foldsOf = new Map<string, Set<number | undefined>>();
      recordings.forEach(({ kin }: Kinship, i) => {
        for (const name of kin) if (name !== '') foldsOf.set(name, (foldsOf.get(name) ?? new Set()).add(folds[i]));
      });
      for (const found of foldsOf.values()) expect(found.size).toBe(1);
    }),
  );
});

it('The folds of a cross-validation each get some of a hundred species, and a species is always in the same fold', () => {
  const recordings = Array.from({ length: 100 }, (_, i) => ({ file: `${i}.opus`, kin: [`Avis ${i}`] }));
  const folds = dealFolds(recordings, 10);
  expect(new Set(folds).size).toBe(10);
  expect(dealFolds(recordings.slice(50), 10)).toEqual(folds.slice(50));
});
