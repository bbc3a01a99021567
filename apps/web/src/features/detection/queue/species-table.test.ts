import type { BirdReview } from '@chiffchaff/contract';
import { describe, expect, it } from 'vitest';
import { speciesOf } from './species-table.tsx';

const bird = (commonName: string, confidence: number) => ({ scientificName: `Avis ${commonName}`, commonName, confidence });
const recording = (name: string, birds: readonly ReturnType<typeof bird>[], reviews: readonly BirdReview[] = []) => ({
  ...{ id: name, name, birds, reviews },
});
const treecreeper = (species: string) => ({ scientificName: `Certhia ${species}`, commonName: species, confidence: 0.9 });
const said = (commonName: string, verdict: BirdReview['verdict'], other: string | null = null): BirdReview => ({
  ...{ scientificName: `Avis ${commonName}`, commonName, verdict, at: '2026-05-01T06:00:00.000Z' },
  ...{ to: other && `Avis ${other}`, toCommonName: other },
});
const told = (recordings: Parameters<typeof speciesOf>[0]) =>
  speciesOf(recordings).map((one) => [one.commonName, one.confidence, one.isConfirmed, one.recordings.map(({ name }) => name)]);

it('The species found in several recordings are sorted by number of recordings on the page, each with its surest recording first', () => {
  const recordings = [
    recording('a', [bird('Wren', 0.6)]),
    recording('b', [bird('Wren', 0.9), bird('Robin', 0.95)]),
    recording('c', [bird('Dunnock', 0.5)]),
  ];
  expect(told(recordings)).toEqual([
    ['Wren', 0.9, false, ['b', 'a']],
    ['Robin', 0.95, false, ['b']],
    ['Dunnock', 0.5, false, ['c']],
  ]);
});

it('The species of several recordings exclude rejected birds, and include added birds and those that others were corrected to', () => {
  const recordings = [
    recording('a', [bird('Robin', 0.9)], [said('Robin', 'corrected', 'Wren')]),
    recording('b', [bird('Robin', 0.8)], [said('Robin', 'rejected')]),
    recording('c', [bird('Wren', 0.7)], [said('Wren', 'confirmed'), said('Dunnock', 'added')]),
  ];
  expect(told(recordings)).toEqual([
    ['Wren', 0.7, true, ['c', 'a']],
    ['Dunnock', 0, true, ['c']],
  ]);
});

describe('A bird from elsewhere in the table of species of several recordings', () => {
  const [familiaris, americana] = [treecreeper('familiaris'), treecreeper('americana')];
  const doubtful = (reviews: readonly BirdReview[] = []) => ({ ...recording('b', [], reviews), fromElsewhere: [americana] });
  const review = (bird: typeof familiaris, verdict: BirdReview['verdict']) => ({ ...said('', verdict), ...bird });

  it('is counted as the local bird of its genus that another recording has, and comes last by its own name if none has one', () => {
    expect(told([recording('a', [familiaris]), doubtful()])).toEqual([['familiaris', 0.9, false, ['a', 'b']]]);
    const alone = [doubtful(), { ...doubtful(), id: 'c', name: 'c' }, recording('a', [bird('Wren', 0.6)])];
    expect(told(alone)).toEqual([
      ['Wren', 0.6, false, ['a']],
      ['americana', 0, false, ['b', 'c']],
    ]);
    expect(speciesOf(alone).map(({ isElsewhere }) => isElsewhere)).toEqual([false, true]);
  });

  it('is not counted beside a local bird of its genus in the same recording', () => {
    const both = { ...doubtful(), birds: [{ ...familiaris, confidence: 0.6 }] };
    expect(told([recording('a', [familiaris]), both])).toEqual([['familiaris', 0.9, false, ['a', 'b']]]);
  });

  it('is counted under its own name if confirmed, and not at all if the owner rejected it or the local bird of its genus', () => {
    const local = ['familiaris', 0.9, false, ['a']];
    expect(told([recording('a', [familiaris]), doubtful([review(americana, 'confirmed')])])).toEqual([
      local,
      ['americana', 0, true, ['b']],
    ]);
    for (const refused of [americana, familiaris])
      expect(told([recording('a', [familiaris]), doubtful([review(refused, 'rejected')])])).toEqual([local]);
    const other = { ...doubtful(), id: 'c', name: 'c' };
    expect(told([doubtful([review(americana, 'confirmed')]), other])).toEqual([['americana', 0, true, ['b']]]);
  });
});
