import { describe, expect, it } from 'vitest';
import { namedBirds } from './named-birds.ts';

const wren = { scientificName: 'Troglodytes troglodytes', confidenceWord: 'veryLikely' } as const;
const robin = { scientificName: 'Erithacus rubecula', confidenceWord: 'likely' } as const;
const dunnock = { scientificName: 'Prunella modularis', confidenceWord: 'perhaps' } as const;
const ranked = [wren, robin, dunnock];

describe('the birds that a verdict names', () => {
  it('are those that it lists, in its order', () => {
    const named = [
      { scientificName: robin.scientificName, commonName: 'European Robin' },
      { scientificName: 'Turdus merula', commonName: 'Common Blackbird' },
      { scientificName: wren.scientificName, commonName: 'Eurasian Wren' },
    ];
    expect(namedBirds({ kind: 'several', tied: false, named }, ranked)).toEqual([robin, wren]);
    expect(namedBirds({ kind: 'identified', tied: false, named: [] }, ranked)).toEqual([]);
  });

  it('are told by kind and words in a prediction that lists none', () => {
    expect(namedBirds({ kind: 'noBird', tied: false }, ranked)).toEqual([]);
    expect(namedBirds({ kind: 'identified', tied: false }, ranked)).toEqual([wren]);
    expect(namedBirds({ kind: 'unsure', tied: false }, ranked)).toEqual([wren]);
    expect(namedBirds({ kind: 'unsure', tied: true }, ranked)).toEqual([wren, robin]);
    expect(namedBirds({ kind: 'several', tied: false }, ranked)).toEqual([wren, robin]);
  });
});
