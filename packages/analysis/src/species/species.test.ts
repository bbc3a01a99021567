import { mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rangeGrid } from '@chiffchaff/contract';
import { occurrenceToByte } from '@chiffchaff/recognizer';
import type { ModelFolder } from '@chiffchaff/recognizer/node';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createSpeciesNames } from '../answer/name-labels.ts';
import { readLandCells } from './land-grid.ts';
import { openSpecies } from './open-species.ts';

const labels = [
  { index: 0, scientificName: 'Troglodytes troglodytes', labelName: 'Eurasian Wren', kind: 'bird' },
  { index: 1, scientificName: 'Troglodytes aedon', labelName: 'House Wren', kind: 'bird' },
  { index: 2, scientificName: 'Engine', labelName: 'Engine', kind: 'nonEvent' },
] as const;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'chiffchaff-species-'));
  await writeFile(
    join(folder, 'aliases.tsv'),
    'name\tmodel\trelation\nNannus troglodytes\tTroglodytes troglodytes\tmoved\nMotor\tEngine\tnonbird\n',
  );
});
afterEach(() => rm(folder, { recursive: true, force: true }));

function modelWith(occurrence: string | null = 'o'): ModelFolder {
  const manifest = {
    occurrence: occurrence && { sha256: occurrence },
    labels: { sha256: 'l', aliasesFile: 'aliases.tsv' },
  };
  return { path: folder, manifest, species: { labels } } as unknown as ModelFolder;
}

/** The first bird lives in the north, the second in the south, both in the first half of the year only. */
function opened(model = modelWith()) {
  const occurrences = vi.fn(async (places: readonly { latitude: number; week: number | null }[]) =>
    Float32Array.from(
      places.flatMap(({ latitude, week }) => {
        const share = (week ?? 1) <= 24 ? 0.5 : 0.001;
        return latitude > 0 ? [share, 0, 0] : [0, share, 0];
      }),
    ),
  );
  const close = vi.fn(async () => {});
  const startPool = vi.fn(async () => ({ occurrences, close }));
  const townsOf = async (timeZone: string) =>
    timeZone === 'Europe/Kiev'
      ? {
          timeZone: 'Europe/Kyiv',
          towns: [
            { latitude: 50, longitude: 30, countryCode: 'UA' },
            { latitude: -1, longitude: 30, countryCode: 'UA' },
          ],
        }
      : null;
  const names = createSpeciesNames(model, ['de', 'fr'], async (code) =>
    code === 'de' ? 'Troglodytes troglodytes_Zaunkönig' : '',
  );
  const species = openSpecies({ model, names, zones: { townsOf }, ask: occurrences, startPool });
  return { species, occurrences, startPool, close };
}

const byteAt = (cells: string, latitude: number, longitude: number): number => {
  const { north, degrees, columns } = rangeGrid;
  return Buffer.from(cells, 'base64')[
    Math.floor((north - latitude) / degrees) * columns + Math.floor((longitude + 180) / degrees)
  ] as number;
};

it('Land is distinguished from sea on both sides of the date line, and small islands are found', () => {
  const cells = readLandCells();
  const has = (latitude: number, longitude: number) =>
    cells.some(
      ({ index }) =>
        index === Math.floor((rangeGrid.north - latitude) / 2) * rangeGrid.columns + Math.floor((longitude + 180) / 2),
    );
  for (const [name, latitude, longitude] of [
    ['England', 52.2, 0.1],
    ['Chukotka west of the date line', 66.5, -175],
    ['Chukotka east of it', 66.5, 175],
    ['Galápagos', -0.6, -90.5],
    ['Tasmania', -42, 147],
  ] as const)
    expect(has(latitude, longitude), name).toBe(true);
  for (const [name, latitude, longitude] of [
    ['the Atlantic', 0, -30],
    ['the Pacific', -20, -120],
  ] as const)
    expect(has(latitude, longitude), name).toBe(false);
});

it('A bird is found by any of its scientific names in any spelling, with its common names and relatives', async () => {
  const { species } = opened();
  const wren = await species.speciesProfile('troglodytes_TROGLODYTES', 'de');
  expect(wren).toEqual({
    scientificName: 'Troglodytes troglodytes',
    commonName: 'Zaunkönig',
    names: [{ language: 'de', name: 'Zaunkönig' }],
    otherNames: ['Nannus troglodytes'],
    genus: [{ scientificName: 'Troglodytes aedon', commonName: 'House Wren' }],
  });
  expect(await species.speciesProfile('Nannus troglodytes', 'de')).toEqual(wren);
  for (const none of ['Engine', 'Motor', 'Rara avis', '', '../../etc/passwd', '__proto__'])
    expect(await species.speciesProfile(none)).toBeNull();
  await species.close();
});

it('The ranges of all birds are computed once and stored for the next start', async () => {
  const first = opened();
  const [year, again] = await Promise.all([
    first.species.speciesRange('Troglodytes troglodytes', 'year'),
    first.species.speciesRange('Troglodytes aedon', 'year'),
  ]);
  expect(first.startPool).toHaveBeenCalledTimes(1);
  expect(year).toMatchObject({ week: null, ...rangeGrid });
  expect(byteAt(year?.cells ?? '', 52, 0.1)).toBe(occurrenceToByte(0.5));
  expect(byteAt(year?.cells ?? '', 0, -30)).toBe(0);
  expect(byteAt(again?.cells ?? '', 52, 0.1)).toBe(0);
  expect(byteAt(again?.cells ?? '', -30, 140)).toBe(occurrenceToByte(0.5));
  await first.species.close();
  expect(first.close).toHaveBeenCalled();
  const next = opened();
  expect(await next.species.speciesRange('Troglodytes troglodytes', 'year')).toEqual(year);
  expect(next.startPool).not.toHaveBeenCalled();
  await next.species.close();
});

it('Ranges are computed again if their file is damaged or of another model; those of past weeks are removed', async () => {
  const before = opened();
  await before.species.speciesRange('Troglodytes aedon', 'year');
  await before.species.close();
  const path = join(folder, 'ranges-1-year.bin');
  const shortened = () => truncate(path, 60);
  const withAnotherByte = async () => {
    const bytes = await readFile(path);
    bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
    await writeFile(path, bytes);
  };
  for (const [model, damage] of [[modelWith(), shortened], [modelWith(), withAnotherByte], [modelWith('another')]] as const) {
    await damage?.();
    const { species, startPool } = opened(model);
    expect(await species.speciesRange('Troglodytes aedon', 'year')).not.toBeNull();
    expect(startPool).toHaveBeenCalledTimes(1);
    await species.close();
  }
  await writeFile(join(folder, 'ranges-1-week-99.bin'), 'over');
  const { species } = opened(modelWith('another'));
  const week = await species.speciesRange('Troglodytes aedon', 'week');
  expect((await readdir(folder)).filter((name) => name.startsWith('ranges')).sort()).toEqual([
    `ranges-1-week-${week?.week}.bin`,
    'ranges-1-year.bin',
  ]);
  await species.close();
});

it('The season at a rounded place is computed once; without a place it is that of the time zone’s towns', async () => {
  const { species, occurrences } = opened();
  const kyiv = await species.speciesSeason('Troglodytes troglodytes', { latitude: 50.2, longitude: 30.1 });
  expect(kyiv?.timeZone).toBeNull();
  expect(kyiv?.weeks.slice(22, 26).map((value) => Math.round(value * 10) / 10)).toEqual([0.5, 0.5, 0, 0]);
  expect(await species.speciesSeason('Troglodytes troglodytes', { latitude: 50.1, longitude: 30 })).toEqual(kyiv);
  expect(occurrences).toHaveBeenCalledTimes(1);
  expect((await species.speciesSeason('Troglodytes aedon', { timeZone: 'Europe/Kiev' }))?.timeZone).toBe('Europe/Kyiv');
  expect((await species.speciesSeason('Troglodytes aedon', { timeZone: 'Europe/Kiev' }))?.weeks[0]).toBeCloseTo(0.5, 1);
  expect((await species.speciesSeason('Troglodytes aedon', { timeZone: 'Europe/Kiev' }))?.relatives).toEqual([
    'Troglodytes troglodytes',
  ]);
  expect(kyiv?.relatives).toEqual([]);
  expect(await species.speciesSeason('Troglodytes aedon', { timeZone: 'Mars/Olympus' })).toBeNull();
  expect(await species.speciesSeason('Rara avis', { timeZone: 'Europe/Kiev' })).toBeNull();
  await species.close();
});

it('The seasons of the last 24 places are kept; that of an earlier place is computed again', async () => {
  const { species, occurrences } = opened();
  const at = (longitude: number) => species.speciesSeason('Troglodytes troglodytes', { latitude: 50, longitude });
  for (let longitude = 0; longitude < 24; longitude += 1) await at(longitude);
  await at(0);
  expect(occurrences).toHaveBeenCalledTimes(24);
  await at(24);
  await at(1);
  expect(occurrences).toHaveBeenCalledTimes(26);
  await species.close();
});

it('The birds around a place are those expected there, marked as arriving or leaving if missing in the months before or after', async () => {
  const { species, occurrences } = opened();
  const wren = { scientificName: 'Troglodytes troglodytes', commonName: 'Zaunkönig', occurrence: expect.closeTo(0.5, 2) };
  const around = (week: number) => species.speciesAround({ latitude: 50.2, longitude: 30.1 }, week, 'de');
  expect((await around(1))?.species).toEqual([{ ...wren, begins: true, ends: false }]);
  expect((await around(5))?.species).toEqual([{ ...wren, begins: false, ends: false }]);
  expect((await around(21))?.species).toEqual([{ ...wren, begins: false, ends: true }]);
  expect(await around(25)).toEqual({ timeZone: null, week: 25, species: [] });
  expect(occurrences).toHaveBeenCalledTimes(1);
  const kyiv = await species.speciesAround({ timeZone: 'Europe/Kiev' }, 4);
  expect(kyiv).toMatchObject({ timeZone: 'Europe/Kyiv', week: 4 });
  expect(kyiv?.species.map(({ commonName }) => commonName)).toEqual(['House Wren', 'Eurasian Wren']);
  expect(await species.speciesAround({ timeZone: 'Mars/Olympus' }, 4)).toBeNull();
  await species.close();
});

it('Of the birds around a place, residents and migrants on their second passage are not marked as arriving or leaving', async () => {
  const { species, occurrences } = opened();
  // An owl that is reported most in winter, and a bird of June of which some return in October.
  occurrences.mockImplementation(async (places) =>
    Float32Array.from(
      places.flatMap(({ week }) => [(week ?? 0) < 41 ? 0.01 : 0.06, week === 22 || week === 23 ? 0.9 : week === 37 ? 0.4 : 0, 0]),
    ),
  );
  const around = async (week: number) => (await species.speciesAround({ latitude: 1, longitude: 1 }, week))?.species;
  expect(await around(41)).toMatchObject([{ occurrence: expect.closeTo(0.06, 2), begins: false, ends: false }]);
  expect(await around(22)).toMatchObject([{ commonName: 'House Wren', begins: true, ends: true }]);
  expect(await around(37)).toMatchObject([{ commonName: 'House Wren', begins: false, ends: false }]);
  await species.close();
});

it('A model without occurrences gives no range and no season', async () => {
  const { species, startPool } = opened(modelWith(null));
  expect(await species.speciesRange('Troglodytes aedon', 'year')).toBeNull();
  expect(await species.speciesSeason('Troglodytes aedon', { latitude: 1, longitude: 1 })).toBeNull();
  expect(await species.speciesAround({ latitude: 1, longitude: 1 }, 1)).toBeNull();
  expect(startPool).not.toHaveBeenCalled();
  await species.close();
});
