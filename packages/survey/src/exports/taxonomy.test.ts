import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { fakeRecords, labelsCsv } from '../testing/fake-tables.ts';
import { nameBy, splitRemark } from './taxonomy.ts';

const description = new URL('../../../../models/birdnet-v2.4/', import.meta.url);
const lines = async (name: string) =>
  (await readFile(new URL(name, description), 'utf8')).split(/\r?\n/).filter((line) => line !== '');

const changed = new Map([
  ['Erithacus rubecula', ['Erythacus rubecula']],
  ['Strix aluco', ['Strix aluco', 'Strix nivicolum']],
]);
const namesIn = (year: '2021' | '2025', records = fakeRecords()) =>
  nameBy(records, changed, year).observations.map(({ scientificName, nameAccordingTo, splitInto }) => [
    ...[scientificName, nameAccordingTo, splitInto],
  ]);

describe('The names of birds converted to the taxonomy of 2025', () => {
  it('change where a species was renamed, and stay with a remark where a species was split', () => {
    expect(namesIn('2025').slice(0, 4)).toEqual([
      ['Erythacus rubecula', 'eBird/Clements v2025', []],
      ['Turdus merula', 'eBird/Clements v2025', []],
      ['Turdus merula', 'eBird/Clements v2025', []],
      ['Strix aluco', 'eBird/Clements v2021', ['Strix aluco', 'Strix nivicolum']],
    ]);
    expect(new Set(namesIn('2021').map(([, according, splitInto]) => `${according} ${splitInto}`))).toEqual(
      new Set(['eBird/Clements v2021 ']),
    );
    expect(splitRemark({ scientificName: 'Strix aluco', splitInto: ['Strix aluco', 'Strix nivicolum'] })).toBe(
      'Strix aluco is now several species in eBird: choose Strix aluco, Strix nivicolum',
    );
    expect(splitRemark({ scientificName: 'Strix aluco' })).toBeNull();
  });

  it('given by a person stay as they are, unless the list of changed names has them', () => {
    const named = fakeRecords(labelsCsv(['Ada', './cards/A/a.wav', 1.5, 'Erithacus rubecula', 'other', 'Larus smithsonianus']));
    expect(namesIn('2025', named)[0]).toEqual(['Larus smithsonianus', null, []]);
    const old = fakeRecords(labelsCsv(['Ada', './cards/A/a.wav', 6, 'Turdus merula', 'other', 'Strix aluco']));
    expect(namesIn('2025', old)[1]).toEqual(['Strix aluco', 'eBird/Clements v2021', ['Strix aluco', 'Strix nivicolum']]);
  });

  it('become one where species were lumped, confirmed if a person confirmed either', () => {
    const { observations, ...rest } = fakeRecords(labelsCsv(['Ada', './cards/A/a.wav', 6, 'Turdus merula', 'yes']));
    const [, merula] = observations;
    if (merula === undefined) throw new Error('no observation');
    const redpolls = [
      { ...merula, scientificName: 'Acanthis cabaret', confirmed: null },
      { ...merula, scientificName: 'Acanthis hornemanni' },
    ];
    const lumped = new Map([
      ['Acanthis cabaret', ['Acanthis flammea']],
      ['Acanthis hornemanni', ['Acanthis flammea']],
    ]);
    for (const given of [redpolls, redpolls.toReversed()])
      expect(nameBy({ ...rest, observations: given }, lumped, '2025').observations).toMatchObject([
        { scientificName: 'Acanthis flammea', confirmed: { by: ['Ada'] } },
      ]);
  });
});

describe('The list of names of 2025 for the birds of BirdNET V2.4', () => {
  const readBirds = async (): Promise<Readonly<Record<string, readonly string[]>>> =>
    JSON.parse(await readFile(new URL('ebird-2025.json', description), 'utf8')).birds;

  it('has only birds of the model, and only names that differ from those of the model', async () => {
    const birds = await readBirds();
    const others = new Set(await lines('non-birds.txt'));
    const labels = new Set((await lines('names/en_us.txt')).map((line) => line.split('_')[0] ?? ''));
    expect(Object.keys(birds).filter((name) => !labels.has(name) || others.has(name))).toEqual([]);
    const isName = /^[A-Z][a-z]+ [a-z]+(-[a-z]+)?$/;
    expect(Object.values(birds).filter((names) => names.length === 0 || !names.every((name) => isName.test(name)))).toEqual([]);
    expect(Object.entries(birds).filter(([name, names]) => names.join() === name)).toEqual([]);
  });

  it.each([
    ['Accipiter cooperii', ['Astur cooperii']],
    ['Accipiter gentilis', ['Astur atricapillus', 'Astur gentilis']],
    ['Larus argentatus', ['Larus argentatus', 'Larus mongolicus', 'Larus smithsonianus', 'Larus vegae']],
    ['Tyto alba', ['Tyto alba', 'Tyto furcata', 'Tyto javanica']],
    ['Setophaga petechia', ['Setophaga aestiva', 'Setophaga petechia']],
    ['Numenius phaeopus', ['Numenius hudsonicus', 'Numenius phaeopus']],
    ['Vireo gilvus', ['Vireo gilvus', 'Vireo swainsoni']],
    ['Bubulcus ibis', ['Ardea coromanda', 'Ardea ibis']],
    ['Acanthis hornemanni', ['Acanthis flammea']],
    ['Erithacus rubecula', undefined],
  ])('has for %s the names %j', async (name, today) => {
    expect((await readBirds())[name]).toEqual(today);
  });
});
