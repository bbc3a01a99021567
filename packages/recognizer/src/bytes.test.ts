import fc from 'fast-check';
import { expect, it } from 'vitest';
import { gatherBytes } from './bytes.ts';

it('Gathering bytes (`gatherBytes`) joins small pieces to larger pieces with the same bytes', () => {
  const pieces = fc.array(fc.uint8Array({ maxLength: 20 }), { maxLength: 20 });
  fc.assert(
    fc.property(pieces, fc.integer({ min: 1, max: 30 }), (small, least) => {
      const gathered = [...gatherBytes(small, least)];
      expect(gathered.flatMap((piece) => [...piece])).toEqual(small.flatMap((piece) => [...piece]));
      for (const piece of gathered.slice(0, -1)) expect(piece.length).toBeGreaterThanOrEqual(least);
      expect(gathered.every(({ length }) => length > 0)).toBe(true);
    }),
  );
});

it('Gathering bytes (`gatherBytes`) passes on a piece that is large enough without copying it', () => {
  const large = new Uint8Array(9);
  expect([...gatherBytes([large], 9)][0]).toBe(large);
});
