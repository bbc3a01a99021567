import { describe, expect, it } from 'vitest';
import { readEbird } from './read-ebird.ts';

const HEADER =
  'Submission ID,Common Name,Scientific Name,Taxonomic Order,Count,State/Province,County,Location ID,Location,Latitude,Longitude,Date,Time';
const row = (scientificName: string, date: string, place = '50.83,12.92') =>
  `S1,Some bird,${scientificName},7,X,DE-SN,Chemnitz,L1,"Küchwald, Teich",${place},${date},06:30 AM`;
const fileOf = (content: string | Uint8Array<ArrayBuffer>) => new File([content], 'MyEBirdData.csv');
const read = (...rows: string[]) => readEbird(fileOf(`${[HEADER, ...rows].join('\r\n')}\r\n`), 2026);
const chemnitz = { latitude: 50.83, longitude: 12.92 };
const wren = { scientificName: 'Troglodytes troglodytes', on: '2019-05-01', place: chemnitz };
/** Of one byte a letter, as it is; of two, in the order of the bytes. */
const encoded = (text: string, unit: 1 | 2) =>
  new Uint8Array(
    [...(unit === 2 ? `\ufeff${text}` : text)].flatMap((sign) => {
      const code = sign.charCodeAt(0);
      return unit === 2 ? [code & 255, code >> 8] : [code];
    }),
  );

describe('Reading eBird’s file', () => {
  it('keeps the first day and place of each species, and the first in this year', async () => {
    const { birds, others } = await read(
      row('Troglodytes troglodytes', '2020-01-02', '1,2'),
      row('Troglodytes troglodytes', '2019-05-01'),
      row('Troglodytes troglodytes', '2026-03-02', '3,4'),
      row('Troglodytes troglodytes', '2026-02-01', ','),
      row('Regulus regulus', '2026-04-01'),
    );
    expect(birds).toEqual([
      wren,
      { ...wren, on: '2026-02-01', place: null },
      { scientificName: 'Regulus regulus', on: '2026-04-01', place: chemnitz },
    ]);
    expect(others).toEqual([]);
  });

  it.each([
    ['Corvus corone [corone Group]', 'Corvus corone'],
    ['Junco hyemalis hyemalis/carolinensis', 'Junco hyemalis'],
    ['Columba livia (Feral Pigeon)', 'Columba livia'],
    ['Colaptes auratus auratus x auratus [cafer Group]', 'Colaptes auratus'],
    ['Anas platyrhynchos x rubripes', null],
    ['Anas platyrhynchos x Mareca strepera (hybrid)', null],
    ['Anas platyrhynchos (Domestic type)', null],
    ['Empidonax alnorum/traillii', null],
    ['Larus sp.', null],
    ['Accipitridae sp. (hawk sp.)', null],
  ])('takes %s as the species %s (null: no species)', async (written, species) => {
    const { birds, others } = await read(row('Troglodytes troglodytes', '2019-05-01'), row(written, '2019-05-01'));
    expect(birds.map(({ scientificName }) => scientificName)).toEqual([wren.scientificName, ...(species ? [species] : [])]);
    expect(others).toHaveLength(species ? 0 : 1);
  });

  it.each([
    [
      'semicolons and decimal commas',
      HEADER.replaceAll(',', ';'),
      'S1;Zaunkönig;Troglodytes troglodytes;7;X;DE;;L1;Ort;50,83;12,92;01.05.2019;06:30',
    ],
    [
      'tabs',
      HEADER.replaceAll(',', '\t'),
      row('Troglodytes troglodytes', '2019-05-01').replace(', Teich', '').replaceAll(',', '\t'),
    ],
  ])('takes a table with %s', async (_what, header, line) => {
    expect((await readEbird(fileOf(`${header}\n${line}\n`), 2026)).birds).toEqual([wren]);
  });

  it.each([
    ['UTF-16', 2],
    ['Windows-1252', 1],
  ] as const)('takes a table encoded in %s', async (_name, unit) => {
    const text = `${HEADER}\r\n${row('Troglodytes troglodytes', '2019-05-01')}\r\n`;
    expect((await readEbird(fileOf(encoded(text, unit)), 2026)).birds).toEqual([wren]);
  });

  it('takes 50,000 rows', async () => {
    const rows = Array.from({ length: 50_000 }, (_, index) =>
      row(index % 2 === 0 ? 'Troglodytes troglodytes' : 'Regulus regulus', `${1970 + (index % 50)}-05-01`),
    );
    expect((await read(...rows)).birds.map(({ on }) => on)).toEqual(['1970-05-01', '1971-05-01']);
  });

  it.each([
    ['another table', 'Begin,End,Score,Species\n1,2,3,4\n', 'OtherColumns', 'Begin, End, Score'],
    ['an empty file', '', 'OtherColumns', ''],
    ['a table without rows', `${HEADER}\n`, 'TableError', 'MyEBirdData.csv has no bird.'],
    [
      'a day that does not exist',
      `${HEADER}\n${row('Apus apus', '2019-02-31')}\n`,
      'TableError',
      /Line 2: "2019-02-31" is no Date/,
    ],
    [
      'a place that does not exist',
      `${HEADER}\n${row('Apus apus', '2019-02-01', '95,12')}\n`,
      'TableError',
      /Line 2: "95" is no Latitude/,
    ],
    ['a quotation mark that is missing', `${HEADER}\nS1,"Some bird,Apus apus\n`, 'TableError', /a quotation mark may be missing/],
    ['an archive', 'PK\u0003\u0004 and more', 'TableError', /Save the sheet as CSV/],
  ])('refuses %s', async (_what, content, name, message) => {
    await expect(readEbird(fileOf(content), 2026)).rejects.toMatchObject({
      name,
      message: typeof message === 'string' ? message : expect.stringMatching(message),
    });
  });
});
