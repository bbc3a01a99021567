import { describe, expect, it } from 'vitest';
import { readLabels } from '../labels.ts';
import { detectionsCsv, effortCsv, type FakeLabel, fakeRecords, labelsCsv, readOurs } from '../testing/fake-tables.ts';
import { camtrapDp } from './camtrap-dp.ts';
import { darwinCore } from './darwin-core.ts';
import { gatherRecords, type SurveyRecords } from './survey-records.ts';

const file = './cards/A/a.wav';
const robin = 'Erithacus rubecula';
const of = ({ observations }: SurveyRecords, name: string) =>
  observations.filter(({ scientificName }) => scientificName === name);

describe('Records of a survey', () => {
  it('have every analysed recording, and every detection that is not hidden by location', () => {
    const { recordings, observations, leftOut } = fakeRecords();
    expect(recordings.map((recording) => [recording.file, recording.seconds])).toEqual([
      [file, 60],
      ['../B/night.flac', 3600],
      ['./cards/A/autumn.wav', 30],
      ['./cards/A/silence.wav', 60],
    ]);
    expect(recordings[2]?.moment).toEqual({
      ...{ date: '2026-10-25', time: '02:59:58', epochMs: Date.UTC(2026, 9, 25, 0, 59, 58), offsetMinutes: 120 },
    });
    expect(observations).toHaveLength(5);
    expect(leftOut).toEqual({ failed: 1, rejected: 0, hidden: 1, belowThreshold: 0, unmatchedLabels: 0, unheardSpecies: [] });
  });

  it('tell archives which recordings ended early', () => {
    const effort = readOurs(effortCsv.replace('T03:12:00Z,,', 'T03:12:00Z,ENDED_EARLY,It ends early.')).files;
    const records = gatherRecords([{ detections: [], effort }]);
    const about = { title: 'Pond', creator: 'Ada', now: new Date(0) };
    const design = { samplingDesign: 'targeted', captureMethod: 'timeLapse', licences: null } as const;
    const camtrap = camtrapDp(records, { ...about, ...design });
    for (const [files, name] of [
      [camtrap, 'media.csv'],
      [darwinCore(records, { ...about, licence: 'CC0-1.0' }), 'event.txt'],
    ] as const) {
      const text = files.find((each) => each.name === name)?.text ?? '';
      const [, first = '', ...others] = text.trimEnd().split('\n');
      expect(first).toContain('60 s of sound, all of it analysed; the recording ended early');
      expect(others.join()).not.toContain('ended early');
    }
  });

  it('list a recording of two tables only once, whether its path begins with ./ or not', () => {
    const [detections, files] = [detectionsCsv, effortCsv].map((text) => [text, text.replaceAll('./cards', 'cards')]);
    const table = (index: number) => ({
      detections: readOurs(detections?.[index] ?? '').detections,
      effort: readOurs(files?.[index] ?? '').files,
    });
    const once = gatherRecords([table(0)]);
    expect(gatherRecords([table(0), table(1)])).toMatchObject({ recordings: once.recordings, leftOut: once.leftOut });
  });

  it('have offsets from UTC in quarters of an hour, though spreadsheets leave out seconds, and none where times do not fit', () => {
    const offset = (time: string, utc: string) =>
      gatherRecords([
        { detections: [], effort: readOurs(effortCsv.replace('05:12:00,2026-05-01T03:12:00Z', `${time},${utc}`)).files },
      ]).recordings[0]?.moment.offsetMinutes;
    expect(offset('05:12:55', '2026-05-01 03:12')).toBe(120);
    expect(offset('05:12', '2026-05-01T03:12:55Z')).toBe(120);
    expect(offset('05:12:55', '2026-05-01T09:57:55Z')).toBe(-285);
    for (const [time, utc] of [
      ['05:12:00', '2026-05-01T03:07:00Z'],
      ['05:12:00', ''],
      ['', '2026-05-01T03:12:00Z'],
    ] as const)
      expect(offset(time, utc), utc).toBeNull();
  });

  it('confirm a detection by the latest label of each person, and not if two people disagree', () => {
    const said = (...labels: FakeLabel[]) => of(fakeRecords(labelsCsv(...labels)), robin).map((each) => each.confirmed);
    expect(said(['Ada', file, 1.5, robin, 'yes'])).toEqual([{ by: ['Ada'], at: '2026-06-01T10:00:00Z' }]);
    expect(said(['Ada', file, 1.5, robin, 'no'], ['Ada', file, 1.5, robin, 'yes'])).toMatchObject([{ by: ['Ada'] }]);
    expect(said(['Ada', file, 1.5, robin, 'yes'], ['Bo', file, 1.5, robin, 'yes'])).toMatchObject([{ by: ['Ada', 'Bo'] }]);
    expect(said(['Ada', file, 1.5, robin, 'yes'], ['Bo', file, 1.5, robin, 'no'])).toEqual([null]);
    expect(said(['Ada', file, 1.5, robin, 'unsure'])).toEqual([null]);
    expect(said(['Ada', file, 1.5, robin, 'yes'], { undoes: 0 })).toEqual([null]);
    expect(said(['Ada', file, 1.5, robin, 'no'])).toEqual([]);
  });

  it('have no detection below the threshold of its species, unless a person confirmed it', () => {
    const blackbirds = (...labels: FakeLabel[]) => {
      const tables = [{ detections: readOurs(detectionsCsv).detections, effort: readOurs(effortCsv).files }];
      const thresholds = new Map([
        ['Turdus merula', 0.6],
        ['Strix aluco', null],
        [robin, Number.POSITIVE_INFINITY],
        ['Turdus merulla', 0.6],
      ]);
      const found = gatherRecords(tables, readLabels(labelsCsv(...labels), 'labels.csv'), thresholds);
      expect(found.leftOut.unheardSpecies).toEqual(['Turdus merulla']);
      const names = found.observations.map(({ scientificName, startSeconds }) => `${scientificName} ${startSeconds}`);
      return [found.leftOut.belowThreshold, ...names];
    };
    const owls = ['Strix aluco 30', 'Strix aluco 3'];
    expect(blackbirds()).toEqual([2, 'Turdus merula 6', ...owls]);
    expect(blackbirds(['Ada', file, 9, 'Turdus merula', 'yes'], ['Ada', file, 6, 'Turdus merula', 'no'])).toEqual([
      ...[1, 'Turdus merula 9', ...owls],
    ]);
    expect(blackbirds(['Ada', file, 1.5, robin, 'yes'], ['Ada', file, 9, 'Turdus merula', 'unsure'])).toEqual([
      ...[1, `${robin} 1.5`, 'Turdus merula 6', ...owls],
    ]);
  });

  it('replace a bird by another that a person named, with the common name that the tables have', () => {
    expect(fakeRecords(labelsCsv(['Ada', file, 1.5, robin, 'other', 'Strix aluco'])).observations).toContainEqual(
      expect.objectContaining({ scientificName: 'Strix aluco', commonName: 'Tawny Owl', startSeconds: 1.5, machine: null }),
    );
    const found = fakeRecords(labelsCsv(['Ada', file, 1.5, robin, 'other', 'Luscinia luscinia']));
    expect(of(found, robin)).toEqual([]);
    expect(of(found, 'Luscinia luscinia')).toMatchObject([{ machine: null, confirmed: { by: ['Ada'] }, startSeconds: 1.5 }]);
    expect(found.leftOut.rejected).toBe(1);
  });

  it('have a bird that a person named instead of another as named by that person, though the model named it in the same clip', () => {
    const { detections } = readOurs(detectionsCsv);
    const [first, ...others] = detections;
    if (first === undefined) throw new Error('no detection');
    const owl = { ...first, scientificName: 'Strix aluco' };
    const labels = readLabels(labelsCsv(['Ada', file, 1.5, robin, 'other', 'Strix aluco']), 'labels.csv');
    for (const rows of [
      [first, owl],
      [owl, first],
    ])
      expect(gatherRecords([{ detections: [...rows, ...others], effort: null }], labels).observations[0]).toMatchObject({
        ...{ scientificName: 'Strix aluco', startSeconds: 1.5, machine: null, confirmed: { by: ['Ada'] } },
      });
  });

  it('ignore an incomplete last line of labels, and count labels that fit no detection', () => {
    const whole = labelsCsv(['Ada', file, 1.5, robin, 'yes'], ['Ada', 'elsewhere.wav', 1.5, robin, 'yes']);
    expect(fakeRecords(whole).leftOut.unmatchedLabels).toBe(1);
    expect(of(fakeRecords(`${whole}l9,2026-06-01T10:00:09Z,Ada,"./ca`), robin)[0]?.confirmed).not.toBeNull();
  });

  it('refuse tables of other programs, tables of two runs of `identify`, and two recordings with the same name', () => {
    const read = (text: string) => () => readOurs(text);
    expect(read('Start (s),End (s),Scientific name,Common name,Confidence,File\n')).toThrow(
      'birds.csv: This is a table of BirdNET-Analyzer, which has no score.',
    );
    expect(read(detectionsCsv.replace('1.5,4.5', 'x,4.5'))).toThrow('birds.csv: Line 2: "x" is no Start (s)');
    const { detections } = readOurs(detectionsCsv);
    // A bird that only a person names is no detection.
    const [header = '', ...rows] = detectionsCsv.split('\n');
    const reviewed = [`${header},Review`, ...rows.map((row) => row && `${row},`), header.replace(/[^,]+/g, '') + ',added'];
    expect(readOurs(reviewed.join('\n')).detections).toEqual(detections);
    const effort = readOurs(effortCsv).files;
    expect(() => gatherRecords([{ detections, effort: effort.slice(1) }])).toThrow('they are of two runs');
    const later = effort.map((row) => ({ ...row, epochMs: 0 }));
    expect(() =>
      gatherRecords([
        { detections, effort },
        { detections: [], effort: later },
      ]),
    ).toThrow('Two recordings are called');
    expect(
      gatherRecords([
        { detections, effort },
        { detections, effort },
      ]).observations,
    ).toHaveLength(5);
  });

  it('take recordings from their detections if there is no table of effort', () => {
    const { recordings } = gatherRecords([{ detections: readOurs(detectionsCsv).detections, effort: null }]);
    expect(recordings[0]).toMatchObject({
      file,
      seconds: null,
      moment: { date: '2026-05-01', time: '05:12:00', offsetMinutes: 120 },
    });
    expect(recordings).toHaveLength(3);
  });
});
