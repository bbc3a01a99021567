import { parse } from 'csv-parse/sync';
import { describe, expect, it } from 'vitest';
import { fakeRecords, labelsCsv } from '../testing/fake-tables.ts';
import { EBIRD_MAX_BYTES, type EbirdOptions, ebirdColumns, ebirdRecords } from './ebird.ts';
import { lackingForEbird } from './needs.ts';
import { nameBy } from './taxonomy.ts';

const [pond, night, autumn] = ['./cards/A/a.wav', '../B/night.flac', './cards/A/autumn.wav'];
const confirmed = fakeRecords(
  labelsCsv(
    ['Ada', pond, 6, 'Turdus merula', 'yes'],
    ['Ada', pond, 9, 'Turdus merula', 'yes'],
    ['Ada', night, 30, 'Strix aluco', 'yes'],
    ['Bo', autumn, 3, 'Strix aluco', 'unsure'],
  ),
);
const options: EbirdOptions = {
  ...{ protocol: 'Incidental', observers: null, complete: false, country: '', state: '', names: 'scientific' },
};
const rowsOf = (records = confirmed, more: Partial<EbirdOptions> = {}): string[][] =>
  ebirdRecords(records, { ...options, ...more }).flatMap((text) => parse(text) as string[][]);
const named = (row: readonly string[] | undefined) =>
  Object.fromEntries(ebirdColumns.map((column, index) => [column, row?.[index]]));

describe('Records for eBird', () => {
  it('have the nineteen documented columns and no header', () => {
    expect(ebirdColumns).toEqual([
      ...['Common Name', 'Genus', 'Species', 'Number', 'Species Comments', 'Location Name', 'Latitude', 'Longitude', 'Date'],
      ...['Start Time', 'State/Province', 'Country Code', 'Protocol', 'Number of Observers', 'Duration'],
      ...['All observations reported?', 'Effort Distance Miles', 'Effort area acres', 'Submission Comments'],
    ]);
    expect(rowsOf().map((row) => row.length)).toEqual([19, 19]);
  });

  it('have only confirmed birds, each once in a list, and call the list incomplete', () => {
    const comment = 'From sound recordings. A model named the birds and a person confirmed each one listed.';
    expect(rowsOf()).toEqual([
      [
        ...['', 'Turdus', 'merula', 'X', 'Heard in a recording at 05:12; confirmed by Ada.', 'Pond, north', '50.8357', '12.9292'],
        ...['05/01/2026', '', '', '', 'Incidental', '', '', 'N', '', '', comment],
      ],
      [
        ...['', 'Strix', 'aluco', 'X', 'Heard in a recording at 00:00; confirmed by Ada.', 'Meadow', '-33.8', '151.2'],
        ...['05/02/2026', '', '', '', 'Incidental', '', '', 'N', '', '', comment],
      ],
    ]);
    expect(() => rowsOf(fakeRecords())).toThrow('No bird is confirmed, and eBird takes only what a person did confirm.');
  });

  it('end a comment with one full stop, also after a name that ends in one', () => {
    const finch = fakeRecords(labelsCsv(['"Finch, jun."', pond, 6, 'Turdus merula', 'yes']));
    expect(named(rowsOf(finch)[0])['Species Comments']).toBe('Heard in a recording at 05:12; confirmed by Finch, jun.');
  });

  it('say of a bird of several recordings that it was heard in them', () => {
    const first = confirmed.observations.find(({ confirmed: by }) => by !== null);
    if (!first) throw new Error('Nothing is confirmed');
    const later = { ...first, recording: { ...first.recording, file: './cards/A/later.wav' } };
    const comment = named(rowsOf({ ...confirmed, observations: [first, later] })[0])['Species Comments'];
    expect(comment).toBe('Heard in recordings at 05:12; confirmed by Ada.');
  });

  it('of a stationary count give its start and its whole minutes up to midnight, and need the number of observers and a known start', () => {
    const stationary = {
      protocol: 'Stationary',
      observers: 1,
      complete: true,
      country: 'AU',
      state: 'NSW',
      names: 'common',
    } as const;
    const [first, second] = rowsOf(confirmed, stationary).map(named);
    expect(first).toMatchObject({
      'Start Time': '05:12',
      Duration: '1',
      'All observations reported?': 'Y',
      'Number of Observers': '1',
    });
    // An hour from 23:59:40: the bird was heard after midnight.
    expect(second).toMatchObject({
      ...{ 'Common Name': 'Tawny Owl', Genus: '', Species: '', Date: '05/02/2026', 'Start Time': '00:00', Duration: '60' },
      ...{ 'Country Code': 'AU', 'State/Province': 'NSW', Protocol: 'Stationary' },
    });
    const long = {
      ...confirmed,
      observations: confirmed.observations.map((each) => ({ ...each, recording: { ...each.recording, seconds: 400_000 } })),
    };
    expect(rowsOf(long, stationary).map((row) => Number(named(row).Duration))).toEqual([1128, 1440]);
    expect(() => rowsOf(confirmed, { ...stationary, observers: null })).toThrow('give --observers');
    expect(() => rowsOf(confirmed, { complete: true })).toThrow('A list of the protocol Incidental is never complete');
    const unknown = confirmed.observations.map((each) => ({ ...each, recording: { ...each.recording, seconds: null } }));
    expect(() => rowsOf({ ...confirmed, observations: unknown }, stationary)).toThrow(
      'It is not known when ./cards/A/a.wav began',
    );
  });

  it('contain no quotation marks or line breaks, and require a day and a place', () => {
    const odd = (more: object) => ({
      ...confirmed,
      observations: confirmed.observations.map((each) => ({ ...each, recording: { ...each.recording, ...more } })),
    });
    expect(named(rowsOf(odd({ site: 'The "old"\n pond' }))[0])['Location Name']).toBe("The 'old' pond");
    expect(named(rowsOf(odd({ site: '' }))[0])['Location Name']).toBe('50.8357, 12.9292');
    expect(() => rowsOf(odd({ site: '', place: null }))).toThrow('eBird asks for both');
  });

  it('are split into files of the size that eBird accepts', () => {
    const [one] = confirmed.observations.filter((each) => each.confirmed);
    if (one === undefined) throw new Error('nothing confirmed');
    const day = (index: number) => new Date(index * 86_400_000).toISOString().slice(0, 10);
    const observations = Array.from({ length: 6000 }, (_, index) => ({ ...one, moment: { ...one.moment, date: day(index) } }));
    const files = ebirdRecords({ ...confirmed, observations }, options);
    expect(files).toHaveLength(2);
    expect(files.every((text) => Buffer.byteLength(text) <= EBIRD_MAX_BYTES)).toBe(true);
    expect(files.flatMap((text) => parse(text))).toHaveLength(6000);
  });

  it('give a species that was split later a name that eBird asks about, and list what it may be', () => {
    const records = fakeRecords(labelsCsv(['Ada', pond, 6, 'Turdus merula', 'other', 'Larus argentatus']));
    const changed = new Map([['Larus argentatus', ['Larus argentatus', 'Larus smithsonianus', 'Larus vegae']]]);
    for (const names of ['scientific', 'common'] as const) {
      const [row] = rowsOf(nameBy(records, changed, '2025'), { country: 'US', state: 'NY', names });
      expect(named(row)).toMatchObject({
        ...{ 'Common Name': 'Larus argentatus sensu lato', Genus: '', Species: '' },
        'Species Comments':
          'Heard in a recording at 05:12; confirmed by Ada. Larus argentatus is now several species in eBird: choose Larus argentatus, Larus smithsonianus, Larus vegae.',
      });
    }
    expect(named(rowsOf(nameBy(records, changed, '2021'))[0])).toMatchObject({ Genus: 'Larus', Species: 'argentatus' });
  });

  it('may lack the length of the recording unless they are a stationary count, but never the name of the bird', () => {
    const [robin] = confirmed.observations;
    if (robin === undefined) throw new Error('nothing confirmed');
    const lengthless = { ...robin, recording: { ...robin.recording, seconds: null } };
    expect([lackingForEbird(lengthless), lackingForEbird(lengthless, 'Stationary')]).toEqual([[], ['length']]);
    expect(lackingForEbird({ ...robin, scientificName: '', commonName: '' })).toEqual(['name']);
  });
});
