import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ListedDetection } from '../read/listed-detection.ts';
import { planSegments, segmentRow } from './plan-segments.ts';
import { safeName } from './safe-name.ts';
import { choices, createSelection } from './selection.ts';

const detection = (changes: Partial<ListedDetection> = {}): ListedDetection => ({
  ...{ file: 'card/0001.wav', startSeconds: 3, endSeconds: 6, scientificName: 'Parus major', commonName: 'Great Tit' },
  ...{ score: 0.9, confidence: 0.8, isHidden: false, site: '', date: '', time: '' },
  settings: { Model: '', 'Min score': '', 'Min confidence': '', 'Overlap (s)': '' },
  ...changes,
});
/** Most have a high confidence and few a low one, as in the field. */
const many = Array.from({ length: 1000 }, (_, n) => detection({ startSeconds: 3 * n, confidence: 1 - (n / 1000) ** 3 }));
const choose = (options: Parameters<typeof createSelection>[0], detections: readonly ListedDetection[]): ListedDetection[] => {
  const selection = createSelection(options);
  for (const each of detections) selection.add(each);
  return [...selection.chosen()];
};

describe('The segments chosen for a species', () => {
  it.each(choices)('are the same for the same seed, in whatever order tables are read: %s', (how) => {
    const options = { choose: how, perSpecies: 50, seed: 1 };
    const chosen = choose(options, many);
    expect(chosen).toHaveLength(50);
    expect(choose(options, many.toReversed())).toEqual(chosen);
    expect(choose(options, [...many, ...many])).toEqual(chosen);
    expect(
      choose(
        options,
        many.flatMap((each) => [each, { ...each, file: `./${each.file}` }]),
      ),
    ).toEqual(chosen);
    expect(choose({ ...options, seed: 2 }, many)).toEqual(how === 'best' ? chosen : expect.not.arrayContaining(chosen));
  });

  it('are, as requested, the surest, random ones, or equally many from each tenth of the range of confidence', () => {
    const tenths = (how: (typeof choices)[number]) => {
      const counts = Array.from({ length: 10 }, () => 0);
      for (const { confidence } of choose({ choose: how, perSpecies: 50, seed: 7 }, many))
        counts[Math.min(9, Math.floor(confidence * 10))] = (counts[Math.min(9, Math.floor(confidence * 10))] ?? 0) + 1;
      return counts;
    };
    expect(tenths('best')).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 0, 50]);
    expect(tenths('balanced')).toEqual([5, 5, 5, 5, 5, 5, 5, 5, 5, 5]);
    // 46 in 100 are in the surest tenth.
    expect(tenths('random')[9]).toBeGreaterThan(12);
    expect(tenths('random')[9]).toBeLessThan(36);
  });

  it('are all that there are if a tenth of the range, or a species, has too few detections', () => {
    const few = [...many.slice(0, 100), detection({ confidence: 0.05, startSeconds: 9000 })];
    const chosen = choose({ choose: 'balanced', perSpecies: 20, seed: 1 }, few);
    expect([chosen.length, chosen.at(-1)?.confidence]).toEqual([20, 0.05]);
    const two = choose({ choose: 'best', perSpecies: 1, seed: 1 }, [detection(), detection({ scientificName: 'Apus apus' })]);
    expect(two.map(({ scientificName }) => scientificName)).toEqual(['Apus apus', 'Parus major']);
  });
});

describe('The time range of a segment', () => {
  const stretch = (
    changes: Partial<ListedDetection>,
    shape: { seconds?: number; padding?: number | null } = {},
    length?: number,
  ) => {
    const lengths = new Map(length === undefined ? [] : [['card/0001.wav', length]]);
    const [planned] = planSegments([detection(changes)], { seconds: 5, padding: null, ...shape }, { lengths, extension: 'wav' });
    return [planned?.startSeconds, planned?.endSeconds];
  };

  it('lies around the middle of the detection, inside the recording', () => {
    expect(stretch({})).toEqual([2, 7]);
    expect(stretch({ startSeconds: 0, endSeconds: 3 })).toEqual([0, 5]);
    expect(stretch({ startSeconds: 57, endSeconds: 60 }, {}, 60)).toEqual([55, 60]);
    expect(stretch({ startSeconds: 0, endSeconds: 3 }, {}, 3.2)).toEqual([0, 3.2]);
    expect(stretch({ startSeconds: 10, endSeconds: 40 })).toEqual([22.5, 27.5]);
  });

  it('holds the whole detection if there is a padding', () => {
    expect(stretch({ startSeconds: 10, endSeconds: 40 }, { padding: 2 })).toEqual([8, 42]);
    expect(stretch({}, { padding: 0 })).toEqual([2, 7]);
    expect(stretch({ startSeconds: 1, endSeconds: 11 }, { padding: 3 })).toEqual([0, 16]);
  });
});

describe('The file name of a segment', () => {
  it('begins with the confidence, and is unique', () => {
    const files = ['a/0001.wav', 'b/0001.WAV', 'c/0001', 'd/Ü.flac', 'e/u\u0308.flac'];
    const plan = planSegments(
      files.map((file) => detection({ file })),
      { seconds: 5, padding: null },
      { lengths: new Map(), extension: 'flac' },
    );
    expect(plan.map(({ folder, fileName }) => `${folder}/${fileName}`)).toEqual([
      'Parus major_Great Tit/0.800_0001_00002.0s.flac',
      'Parus major_Great Tit/0.800_0001_00002.0s_2.flac',
      'Parus major_Great Tit/0.800_0001_00002.0s_3.flac',
      'Parus major_Great Tit/0.800_Ü_00002.0s.flac',
      'Parus major_Great Tit/0.800_ü_00002.0s_2.flac',
    ]);
    const [first] = plan;
    expect(first && segmentRow(first, 4.5)).toBe(
      'Parus major_Great Tit/0.800_0001_00002.0s.flac,a/0001.wav,2.000,6.500,3,6,Parus major,Great Tit,0.8000,0.9000,,,\n',
    );
  });

  it('is valid on every operating system, whatever characters the names contain', () => {
    expect(
      ['../../etc/passwd', 'con', 'NUL.wav', 'a:b*c?', '...', '', ' -rf', 'x. ', 'a\u202egpj', 'Buse variable'].map((text) =>
        safeName(text, 100),
      ),
    ).toEqual(['__.._etc_passwd', '_con', '_NUL.wav', 'a_b_c_', '_', '_', '_rf', 'x', 'a_gpj', 'Buse variable']);
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const name = safeName(text, 40);
        expect(name).not.toMatch(/[/\\\0:]|^\.|[. ]$|^$|^-/);
        expect(new TextEncoder().encode(name).length).toBeLessThanOrEqual(41);
      }),
    );
  });
});
