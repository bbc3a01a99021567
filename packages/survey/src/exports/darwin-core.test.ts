import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { beforeAll, describe, expect, it } from 'vitest';
import { validateXML } from 'xmllint-wasm';
import { fakeRecords, labelsCsv, renamed } from '../testing/fake-tables.ts';
import { darwinCore } from './darwin-core.ts';
import type { SurveyRecords } from './survey-records.ts';
import { nameBy } from './taxonomy.ts';

const published = join(import.meta.dirname, '../../published-schemas/darwin-core');
const options = {
  title: 'Birds & <owls>',
  creator: 'Ada "A" Finch',
  licence: 'CC-BY-4.0',
  now: new Date('2026-07-01T10:00:00Z'),
} as const;
const labels = labelsCsv(['Ada', './cards/A/a.wav', 1.5, 'Erithacus rubecula', 'yes']);
const filesOf = (records: SurveyRecords = fakeRecords(labels)) =>
  new Map(darwinCore(records, options).map(({ name, text }) => [name, text]));
const rowsOf = (files: ReadonlyMap<string, string>, name: string): Record<string, string>[] =>
  parse(files.get(name) ?? '', { columns: true });

describe('A Darwin Core archive', () => {
  let schema: string;
  let terms: Set<string>;
  beforeAll(async () => {
    schema = await readFile(join(published, 'tdwg_dwc_text.xsd'), 'utf8');
    terms = new Set((await readFile(join(published, 'all_dwc_vertical.csv'), 'utf8')).split(/\s+/));
  });
  /** Validates without the schema's imports: it uses nothing from them, and both would be downloaded. */
  const problemsOf = async (meta: string) => {
    const alone = schema.replace(/<xs:import[^>]*(\/>|>[\s\S]*?<\/xs:import>)/g, '');
    const { valid, errors } = await validateXML({ xml: [{ fileName: 'meta.xml', contents: meta }], schema: [alone] });
    return valid ? [] : errors.map(({ message }) => message);
  };

  it('has a meta.xml that is valid by the published schema, with known terms in the stated columns', async () => {
    const files = filesOf();
    const meta = files.get('meta.xml') ?? '';
    expect(await problemsOf(meta)).toEqual([]);
    expect(await problemsOf(meta.replace('<id index="0"/>', ''))).toEqual([]);
    expect(await problemsOf(meta.replace('<coreid index="0"/>', ''))).not.toEqual([]);
    expect(await problemsOf(meta.replace(/ rowType="[^"]*"/, ''))).not.toEqual([]);
    const [core = '', extension = ''] = meta.split('</core>');
    for (const [part, name, before] of [
      [core, 'event.txt', []],
      [extension, 'occurrence.txt', ['eventID']],
    ] as const) {
      const fields = [...part.matchAll(/index="(\d+)" term="([^"]+)\/([^/"]+)"/g)];
      expect(fields.map(([, index]) => Number(index))).toEqual(fields.map((_, index) => index + before.length));
      const named = fields.map(([, , , term = '']) => term);
      expect(named.filter((term) => !terms.has(term))).toEqual([]);
      expect(new Set(fields.map(([, , vocabulary]) => vocabulary))).toEqual(
        new Set(['http://rs.tdwg.org/dwc/terms', ...(name === 'event.txt' ? ['http://purl.org/dc/terms'] : [])]),
      );
      const [header] = parse(files.get(name) ?? '', { to: 1 });
      expect(header).toEqual([...before, ...named]);
    }
  });

  it('has an event for each analysed recording, with its effort as far as it is known', () => {
    const [first, owl, , silence] = rowsOf(filesOf(), 'event.txt');
    expect(first).toEqual({
      ...{ eventID: './cards/A/a.wav', eventDate: '2026-05-01T05:12:00+02:00/2026-05-01T05:13:00+02:00', eventTime: '05:12:00' },
      ...{ locationID: 'Pond, north', locality: 'Pond, north', decimalLatitude: '50.8357', decimalLongitude: '12.9292' },
      samplingProtocol: 'Sound recording, birds named by a model (birdnet-v2.4)',
      ...{ sampleSizeValue: '60', sampleSizeUnit: 'second', samplingEffort: '60 s of sound, all of it analysed' },
      license: 'https://creativecommons.org/licenses/by/4.0/legalcode',
    });
    expect(owl).toMatchObject({ eventDate: '2026-05-01T23:59:40+10:00/2026-05-02T00:59:40+10:00' });
    expect(silence).toMatchObject({ eventID: './cards/A/silence.wav', sampleSizeValue: '60' });
    const records = fakeRecords();
    const moment = { date: '2026-05-01', time: null, epochMs: null, offsetMinutes: null };
    const unknown = records.recordings
      .slice(0, 1)
      .map((recording) => ({ ...recording, place: null, site: '', seconds: null, moment }));
    expect(rowsOf(filesOf({ ...records, recordings: unknown, observations: [] }), 'event.txt')).toMatchObject([
      {
        ...{ eventDate: '2026-05-01', eventTime: '', locationID: '', decimalLatitude: '', decimalLongitude: '' },
        ...{
          sampleSizeValue: '',
          sampleSizeUnit: '',
          samplingEffort: '',
          samplingProtocol: 'Sound recording, birds named by a model',
        },
      },
    ]);
    expect(() => filesOf({ ...records, recordings: [] })).toThrow('There is no recording to export.');
  });

  it('has an occurrence for each detection, marked as human if a person confirmed it', () => {
    const files = filesOf();
    const occurrences = rowsOf(files, 'occurrence.txt');
    expect(occurrences).toHaveLength(5);
    const events = new Set(rowsOf(files, 'event.txt').map(({ eventID }) => eventID));
    expect(occurrences.every(({ eventID }) => events.has(eventID ?? ''))).toBe(true);
    expect(new Set(occurrences.map(({ occurrenceID }) => occurrenceID)).size).toBe(5);
    expect(occurrences[0]).toMatchObject({
      ...{ basisOfRecord: 'HumanObservation', identifiedBy: 'Ada', dateIdentified: '2026-06-01T10:00:00Z' },
      ...{ scientificName: 'Erithacus rubecula', vernacularName: 'European Robin', occurrenceStatus: 'present' },
      eventDate: '2026-05-01T05:12:01+02:00/2026-05-01T05:12:04+02:00',
      identificationRemarks:
        'Confirmed by a person who listened to the recording; named by birdnet-v2.4, confidence 0.9311, score 0.8123',
    });
    expect(occurrences[1]).toMatchObject({
      ...{ basisOfRecord: 'MachineObservation', identifiedBy: 'birdnet-v2.4', dateIdentified: '' },
      ...{
        identificationRemarks: 'Named by birdnet-v2.4, confidence 0.61, score 0.5',
        identificationVerificationStatus: 'not confirmed',
      },
    });
  });

  it('says of each name which taxonomy it is from, and into which species a bird was split later', () => {
    const changed = new Map([['Strix aluco', ['Strix aluco', 'Strix nivicolum']]]);
    const named = labelsCsv(['Ada', './cards/A/a.wav', 1.5, 'Erithacus rubecula', 'other', 'Luscinia luscinia']);
    const rows = (year: '2021' | '2025') =>
      rowsOf(filesOf(nameBy(fakeRecords(named), changed, year)), 'occurrence.txt').map((row) => [
        ...[row['scientificName'], row['nameAccordingTo'], row['taxonRemarks']],
      ]);
    expect(rows('2021')).toContainEqual(['Strix aluco', 'eBird/Clements v2021', '']);
    expect(rows('2025')).toContainEqual(['Turdus merula', 'eBird/Clements v2025', '']);
    expect(rows('2025')).toContainEqual([
      ...['Strix aluco', 'eBird/Clements v2021'],
      'Strix aluco is now several species in eBird: choose Strix aluco, Strix nivicolum',
    ]);
    expect(rows('2025')).toContainEqual(['Luscinia luscinia', '', '']);
  });

  it('leaves the folder above all recordings out of their paths, since it may tell whose they are', () => {
    const files = filesOf(renamed(fakeRecords(labels), (file) => file.replace(/^\.+/, 'C:\\Users\\ada')));
    const [event] = rowsOf(files, 'event.txt');
    const [occurrence] = rowsOf(files, 'occurrence.txt');
    expect(event).toMatchObject({ eventID: 'cards/A/a.wav' });
    const occurrenceID = 'cards/A/a.wav#1.5-4.5#Erithacus rubecula';
    expect(occurrence).toMatchObject({ eventID: 'cards/A/a.wav', occurrenceID, associatedMedia: 'cards/A/a.wav' });
    expect([...files.values()].join()).not.toContain('Users');
  });

  it('is refused if two recordings would have the same name', () => {
    const names = ['/home/ada/a.wav', '/home/ada/b.wav', 'a.wav', 'c.wav'].values();
    const byFile = new Map<string, string>();
    const nameOf = (file: string) => byFile.get(file) ?? byFile.set(file, names.next().value ?? '').get(file) ?? '';
    expect(() => filesOf(renamed(fakeRecords(), nameOf))).toThrow('Two recordings have one path');
  });

  it('has a title and authors that are escaped in XML', async () => {
    const eml = filesOf().get('eml.xml') ?? '';
    expect(eml).toContain('<title>Birds &amp; &lt;owls&gt;</title>');
    expect(eml).toContain('<organizationName>Ada &quot;A&quot; Finch</organizationName>');
    expect(eml).toContain('https://creativecommons.org/licenses/by/4.0/legalcode');
    const { errors } = await validateXML({ xml: [{ fileName: 'eml.xml', contents: eml }], schema: [schemaOfAnything] });
    expect(errors).toEqual([]);
  });
});

/** Accepts any well-formed document of the namespace. */
const schemaOfAnything = `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="https://eml.ecoinformatics.org/eml-2.2.0">
  <xs:element name="eml"><xs:complexType><xs:sequence><xs:any processContents="skip" maxOccurs="unbounded"/></xs:sequence>
  <xs:anyAttribute processContents="skip"/></xs:complexType></xs:element></xs:schema>`;
