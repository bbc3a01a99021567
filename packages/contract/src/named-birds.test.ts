import { describe, expect, it } from 'vitest';
import { birdFromElsewhere, birdsOfSentence, countedBirds, entriesOf, namedBirds } from './named-birds.ts';
import type { Candidate, Prediction } from './prediction.ts';

const candidate = (
  rank: number,
  scientificName: string,
  confidenceWord: Candidate['confidenceWord'],
  startSeconds: number,
): Candidate => ({
  rank,
  scientificName,
  commonName: scientificName,
  score: 0.5,
  confidence: 0.5,
  confidenceWord,
  unusualHere: false,
  occurrence: null,
  best: { startSeconds, endSeconds: startSeconds + 3 },
});

const wren = candidate(1, 'Troglodytes troglodytes', 'veryLikely', 60);
const robin = candidate(2, 'Erithacus rubecula', 'likely', 3);
const dunnock = candidate(3, 'Prunella modularis', 'perhaps', 30);
const tit = candidate(4, 'Parus major', 'notSure', 0);
const heard = (bird: Candidate, firstSeconds: number) => ({ ...bird, firstSeconds });
const verdict = (part: Partial<Prediction['verdict']>): Prediction['verdict'] => ({
  ...{ kind: 'several', tied: false, sentence: '', named: [], genus: null, notExpectedHere: null },
  ...part,
});
const namesOf = (birds: readonly Candidate[]) => birds.map(({ scientificName }) => scientificName);

describe('The birds that a verdict names', () => {
  it('are those in the verdict’s list, in its order', () => {
    const named = [heard(robin, 0), heard(dunnock, 12), heard(wren, 45)];
    expect(namedBirds({ verdict: verdict({ named }) })).toEqual(named);
    expect(namedBirds({ verdict: verdict({ kind: 'identified' }) })).toEqual([]);
  });
});

describe('The entries of a verdict on the page', () => {
  it('are the likely birds, then those perhaps there, then the rest, each group in the order first heard', () => {
    const birds = [heard(tit, 0), heard(dunnock, 1), heard(wren, 45), heard(robin, 50)];
    expect(entriesOf(birds, false)).toEqual([heard(wren, 45), heard(robin, 50), heard(dunnock, 1), heard(tit, 0)]);
  });

  it('show two tied birds as one entry, first heard when either is, and count both', () => {
    const [first, second, third] = [
      { ...heard(dunnock, 20), rank: 1 },
      { ...heard(tit, 6), rank: 2 },
      { ...heard(dunnock, 9), rank: 3, scientificName: 'Regulus regulus' },
    ];
    const entries = [...entriesOf([third, second, first], true)];
    expect(entries).toEqual([{ ...first, firstSeconds: 6, tiedWith: second }, third]);
    const answer = { verdict: verdict({ kind: 'unsure', tied: true, named: entries }) };
    expect(namedBirds(answer)).toEqual([{ ...first, firstSeconds: 6 }, second, third]);
    expect(countedBirds(answer)).toEqual([third]);
  });

  it('count each bird as one if no two are tied', () => {
    const named = [heard(wren, 45), heard(robin, 50)];
    expect(countedBirds({ verdict: verdict({ named }) })).toEqual(named);
  });

  it('are not counted if the place is assumed and they do not live there', () => {
    const [here, elsewhere] = [heard({ ...robin, assumed: 'here' }, 50), heard({ ...wren, assumed: 'elsewhere' }, 45)];
    expect(countedBirds({ verdict: verdict({ kind: 'identified', named: [elsewhere, here] }) })).toEqual([here]);
  });

  it('say that a bird does not live at the assumed place only if it is the verdict’s single and sure bird', () => {
    const [here, elsewhere] = [heard({ ...robin, assumed: 'here' }, 50), heard({ ...wren, assumed: 'elsewhere' }, 45)];
    const of = (part: Parameters<typeof verdict>[0]) => birdFromElsewhere({ verdict: verdict(part) });
    expect(of({ kind: 'identified', named: [elsewhere, here] })).toEqual(elsewhere);
    expect(of({ kind: 'identified', named: [{ ...here, rank: 1 }] })).toBeUndefined();
    expect(of({ kind: 'several', named: [elsewhere, here] })).toBeUndefined();
    expect(of({ kind: 'unsure', named: [{ ...elsewhere, confidenceWord: 'notSure' }] })).toBeUndefined();
  });
});

describe('The birds named in the sentence of a verdict', () => {
  it('are the likely birds, else the two tied birds by rank, else the first bird', () => {
    const named = [dunnock, robin, wren];
    expect(namesOf(birdsOfSentence({ kind: 'several', tied: false }, named))).toEqual(namesOf([robin, wren]));
    expect(namesOf(birdsOfSentence({ kind: 'unsure', tied: true }, named))).toEqual(namesOf([wren, robin]));
    expect(namesOf(birdsOfSentence({ kind: 'identified', tied: false }, named))).toEqual(namesOf([wren]));
    expect(birdsOfSentence({ kind: 'noBird', tied: false }, [])).toEqual([]);
  });
});
