import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { parse } from 'csv-parse/sync';
import { beforeAll, describe, expect, it } from 'vitest';
import { detectionsCsv, fakeRecords, labelsCsv, renamed } from '../testing/fake-tables.ts';
import { readCamtrapDp } from '../testing/read-camtrap-dp.ts';
import { findTableProblems, type TableSchema } from '../testing/table-schema.ts';
import { type CamtrapOptions, camtrapDp } from './camtrap-dp.ts';
import { mediaPath, mediaType } from './media-files.ts';
import { nameBy } from './taxonomy.ts';

const published = join(import.meta.dirname, '../../published-schemas');
const json = async (path: string) => JSON.parse(await readFile(join(published, path), 'utf8'));
const options: CamtrapOptions = {
  ...{ title: 'Birds of the pond', creator: 'Ada Finch', samplingDesign: 'opportunistic', captureMethod: 'timeLapse' },
  licences: { data: 'CC0-1.0', media: 'CC-BY-4.0' },
  now: new Date('2026-07-01T10:00:00Z'),
};
const labels = labelsCsv(['Ada', './cards/A/a.wav', 1.5, 'Erithacus rubecula', 'yes']);
const filesOf = (records = fakeRecords(labels), given = options) =>
  new Map(camtrapDp(records, given).map(({ name, text }) => [name, text]));
const rowsOf = (files: ReadonlyMap<string, string>, name: string): Record<string, string>[] =>
  parse(files.get(`${name}.csv`) ?? '', { columns: true });

describe('A survey exported as a Camtrap DP package', () => {
  let isProfile: (descriptor: unknown) => string[];
  beforeAll(async () => {
    const ajv = new Ajv({ strict: false, allErrors: true });
    addFormats.default(ajv);
    // A hint for editors; it restricts nothing.
    ajv.addFormat('textarea', true);
    ajv.addSchema(
      draft7(await json('data-package/data-package.json')),
      'https://specs.frictionlessdata.io/schemas/data-package.json',
    );
    ajv.addSchema(draft7(await json('geojson/geojson.json')), 'http://json.schemastore.org/geojson.json');
    const validate = ajv.compile(draft7(await json('camtrap-dp-1.0.2/camtrap-dp-profile.json')));
    isProfile = (descriptor) =>
      validate(descriptor) ? [] : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
  });

  it('is valid by the published profile', () => {
    const descriptor = JSON.parse(filesOf().get('datapackage.json') ?? '');
    expect(isProfile(descriptor)).toEqual([]);
    expect(isProfile(JSON.parse(filesOf(fakeRecords(), { ...options, licences: null }).get('datapackage.json') ?? ''))).toEqual(
      [],
    );
    expect(isProfile({ ...descriptor, project: { ...descriptor.project, samplingDesign: 'guessed' } })).not.toEqual([]);
    expect(isProfile({ ...descriptor, spatial: { type: 'Nowhere' } })).not.toEqual([]);
    expect(isProfile({ ...descriptor, licenses: [{ name: 'CC0-1.0' }] })).not.toEqual([]);
    expect(descriptor).toMatchObject({ temporal: { start: '2026-05-01', end: '2026-10-25' }, taxonomic: { length: 3 } });
  });

  it('is valid by the published schemas of its tables', async () => {
    const files = filesOf();
    const tables = new Map(['deployments', 'media', 'observations'].map((name) => [name, files.get(`${name}.csv`) ?? '']));
    for (const [name, text] of tables) {
      const schema: TableSchema = await json(`camtrap-dp-1.0.2/${name}-table-schema.json`);
      expect(findTableProblems(text, schema, tables)).toEqual([]);
      // Proves that the check works: it finds an invalid value and a missing one.
      expect(findTableProblems(text.replaceAll('2026-05-01T', '1 May '), schema, tables)).not.toEqual([]);
      expect(findTableProblems(text.replaceAll('"Pond, north"', '""'), schema, tables)).not.toEqual([]);
    }
  });

  it('says by whom, how surely and when a bird was identified, with the distance from UTC', () => {
    const [robin, blackbird, , owl, autumn] = rowsOf(filesOf(), 'observations');
    expect(robin).toMatchObject({
      ...{ classificationMethod: 'human', classifiedBy: 'Ada', classificationTimestamp: '2026-06-01T10:00:00Z' },
      ...{ classificationProbability: '', eventStart: '2026-05-01T05:12:01+02:00', eventEnd: '2026-05-01T05:12:04+02:00' },
      ...{ observationLevel: 'media', mediaID: './cards/A/a.wav', deploymentID: 'Pond, north' },
      observationTags: 'startSeconds:1.5 | endSeconds:4.5 | model:birdnet-v2.4 | score:0.8123 | confidence:0.9311',
    });
    expect(blackbird).toMatchObject({
      ...{ classificationMethod: 'machine', classifiedBy: 'birdnet-v2.4', classificationTimestamp: '' },
      ...{ classificationProbability: '0.61', count: '', sex: '', lifeStage: '' },
    });
    expect(owl).toMatchObject({ eventStart: '2026-05-02T00:00:10+10:00', deploymentID: 'Meadow' });
    // The clocks went back during the recording.
    expect(autumn).toMatchObject({ eventStart: '2026-10-25T02:00:01+01:00' });
    const media = rowsOf(filesOf(), 'media');
    expect(media.map(({ mediaID, timestamp }) => [mediaID, timestamp])).toContainEqual([
      './cards/A/silence.wav',
      '2026-05-01T06:12:00+02:00',
    ]);
    expect(rowsOf(filesOf(), 'deployments')[0]).toMatchObject({
      ...{ latitude: '50.8357', longitude: '12.9292', deploymentStart: '2026-05-01T05:12:00+02:00', cameraID: 'SM4' },
      // The clocks went back while the last recording was made.
      ...{ coordinateUncertainty: '', deploymentEnd: '2026-10-25T02:00:28+01:00' },
    });
  });

  it('is read back as the detections that were written', () => {
    const back = readCamtrapDp(filesOf());
    const rows: Record<string, string>[] = parse(detectionsCsv, { columns: true });
    expect(back).toEqual(
      rows
        .filter((row) => row['Hidden'] === 'false')
        .map((row) => ({
          ...{ file: row['File'], scientificName: row['Scientific name'], model: row['Model'], site: row['Site'] },
          ...{ startSeconds: Number(row['Start (s)']), endSeconds: Number(row['End (s)']), score: Number(row['Score']) },
          ...{ confidence: Number(row['Confidence']), epochMs: Date.parse(row['UTC'] ?? '') },
          ...{ latitude: Number(row['Latitude']), longitude: Number(row['Longitude']) },
          confirmedBy: row['Scientific name'] === 'Erithacus rubecula' ? ['Ada'] : null,
        })),
    );
  });

  it('ends a deployment by the clock of its last day, whichever recording is listed first', () => {
    const records = fakeRecords();
    const [spring] = records.recordings;
    if (spring === undefined) throw new Error('no recording');
    const at = (day: string, offsetMinutes: number) => ({
      ...spring,
      file: `${day}.wav`,
      moment: { date: day, time: '05:00:00', epochMs: Date.parse(`${day}T05:00:00Z`) - offsetMinutes * 60_000, offsetMinutes },
    });
    const days = [at('2026-03-01', 60), at('2026-05-01', 120), at('2026-11-01', 60)];
    const spanOf = (recordings: typeof days) =>
      rowsOf(filesOf({ ...records, recordings, observations: [] }), 'deployments').map((row) => [
        ...[row['deploymentStart'], row['deploymentEnd']],
      ]);
    for (const given of [days, days.toReversed()])
      expect(spanOf(given)).toEqual([['2026-03-01T05:00:00+01:00', '2026-11-01T05:01:00+01:00']]);
    expect(spanOf(days.slice(0, 2))).toEqual([['2026-03-01T05:00:00+01:00', '2026-05-01T05:01:00+02:00']]);
  });

  it('says which taxonomy its names follow, and into which species a bird was split later', () => {
    const changed = new Map([['Strix aluco', ['Strix aluco', 'Strix nivicolum']]]);
    const files = filesOf(nameBy(fakeRecords(), changed, '2025'));
    expect(JSON.parse(files.get('datapackage.json') ?? '').description).toMatch(
      /Names follow eBird\/Clements v2025 and eBird\/Clements v2021\.$/,
    );
    expect(rowsOf(files, 'observations').map((row) => row['observationComments'])).toContain(
      'Strix aluco is now several species in eBird: choose Strix aluco, Strix nivicolum',
    );
  });

  it('is refused for recordings without place or time', () => {
    const records = fakeRecords();
    const [first] = records.recordings;
    if (first === undefined) throw new Error('no recording');
    for (const less of [{ place: null }, { moment: { ...first.moment, epochMs: null } }])
      expect(() => filesOf({ ...records, recordings: [{ ...first, ...less }] })).toThrow(
        './cards/A/a.wav has no place, or no time',
      );
    expect(() => filesOf({ ...records, recordings: [], observations: [] })).toThrow('There is no recording');
  });

  it('is valid whatever recordings are called, and leaves out the folder that is above all of them', async () => {
    const files = filesOf(renamed(fakeRecords(), (file) => `${file.replace(/^\.+/, '/home/ada')}\n\u2028.wav`));
    const [deployments = '', media = ''] = ['deployments.csv', 'media.csv'].map((name) => files.get(name));
    const tables = new Map([['deployments', deployments]]);
    expect(findTableProblems(media, await json('camtrap-dp-1.0.2/media-table-schema.json'), tables)).toEqual([]);
    const paths = rowsOf(files, 'media').map(({ mediaID, filePath, fileName }) => [mediaID, filePath, fileName]);
    const path = 'cards/A/a.wav%0A%E2%80%A8.wav';
    expect(paths[0]).toEqual([path, path, 'a.wav%0A%E2%80%A8.wav']);
    expect([...files.values()].join()).not.toContain('/ada');
  });

  it('distinguishes recordings at several places whose site has the same name', () => {
    const records = fakeRecords();
    const moved = records.recordings.map((recording, index) =>
      index === 0 ? { ...recording, place: { latitude: 1, longitude: 2 } } : recording,
    );
    expect(rowsOf(filesOf({ ...records, recordings: moved }), 'deployments').map(({ deploymentID }) => deploymentID)).toEqual([
      ...['Pond, north 1,2', 'Meadow', 'Pond, north 50.8357,12.9292'],
    ]);
  });

  it('names recordings with paths and media types that the standard accepts', () => {
    expect(['./a/b.wav', '/mnt/card/b.wav', '../B/b.wav', 'x/../b..c.wav', 'C:\\card\\b.wav', '~/b.wav'].map(mediaPath)).toEqual([
      ...['a/b.wav', 'mnt/card/b.wav', 'B/b.wav', 'x/b%2E%2Ec.wav', 'card/b.wav', 'b.wav'],
    ]);
    expect(['a.WAV', 'a.flac', 'a.xyz', 'a'].map(mediaType)).toEqual(['audio/wav', 'audio/flac', 'audio/*', 'audio/*']);
  });
});

/** The published schemas declare draft 4; what they use means the same in draft 7, which Ajv supports. */
const draft7 = ({ $schema: _, ...schema }: Record<string, unknown>): Record<string, unknown> => schema;
