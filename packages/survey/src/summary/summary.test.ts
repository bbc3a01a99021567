import { describe, expect, it } from 'vitest';
import type { ListedDetection, ListedFile } from '../read/listed-detection.ts';
import { recordingTime } from '../recording-time.ts';
import { createSummary } from './create-summary.ts';
import { hoursListened } from './hours-listened.ts';
import { summaryReport } from './report.ts';
import { effortTable, speciesDaySiteTable, speciesHourTable } from './summary-tables.ts';

const settings = { Model: 'birdnet-v2.4', 'Min score': '0.25', 'Min confidence': '0', 'Overlap (s)': '1.5' };
const detection = (site: string, date: string, time: string, scientificName = 'Strix aluco'): ListedDetection => ({
  ...{ file: 'a.wav', startSeconds: 0, endSeconds: 3, scientificName, commonName: '', score: 0.9, confidence: 0.8 },
  ...{ isHidden: false, site, date, time, settings },
});
/** @param utc its start */
const file = (site: string, utc: string, seconds: number, ahead = 0): ListedFile => {
  const epochMs = Date.parse(utc);
  const local = new Date(epochMs + ahead * 3_600_000).toISOString();
  const times = { date: local.slice(0, 10), time: local.slice(11, 19), epochMs };
  return { file: `${site}-${utc}`, isAnalyzed: true, seconds, site, ...times };
};
const lines = (table: Iterable<string>): string[] => [...table].map((line) => line.trimEnd());
const report = {
  title: 'Season',
  madeOn: '2026-11-01',
  limits: { minConfidence: 0, minScore: 0 },
  leftOut: { rejected: 0, belowThreshold: 0 },
};

describe('The hours that a summary counts as recorded', () => {
  const hours = (date: string, time: string, seconds: number, timeZone: string) => {
    const began = recordingTime({ date: { value: date, from: 'name' }, time, offsetMinutes: null }, { timeZone });
    return began && [...hoursListened(began, seconds)].map(({ date: on, hour, seconds: part }) => `${on} ${hour}: ${part}`);
  };

  it('are divided by the local clock, also across midnight', () => {
    expect(hours('2026-05-01', '23:30:00', 5400, 'Europe/Berlin')).toEqual(['2026-05-01 23: 1800', '2026-05-02 0: 3600']);
    expect(hours('2026-05-01', '05:59:58', 3.5, 'Europe/Berlin')).toEqual(['2026-05-01 5: 2', '2026-05-01 6: 1.5']);
  });

  it('contain an hour twice when clocks go back, and lack the one skipped when clocks go forward', () => {
    // 1:30 to 4:30 by the clocks: one hour occurs twice in autumn, and one is skipped in spring.
    expect(hours('2026-10-25', '01:30:00', 4 * 3600, 'Europe/Berlin')).toEqual([
      ...['2026-10-25 1: 1800', '2026-10-25 2: 3600', '2026-10-25 2: 3600', '2026-10-25 3: 3600', '2026-10-25 4: 1800'],
    ]);
    expect(hours('2026-03-29', '01:30:00', 2 * 3600, 'Europe/Berlin')).toEqual([
      ...['2026-03-29 1: 1800', '2026-03-29 3: 3600', '2026-03-29 4: 1800'],
    ]);
    // On Lord Howe Island clocks change by half an hour: 1:30 to 2:00 occurs twice.
    expect(hours('2026-04-05', '01:30:00', 3600, 'Australia/Lord_Howe')).toEqual([
      ...['2026-04-05 1: 1800', '2026-04-05 1: 1800'],
    ]);
  });

  it('are a whole day if the time of a recording is unknown', () => {
    const began = recordingTime({ date: { value: '2026-05-01', from: 'name' }, time: null, offsetMinutes: null });
    expect(began && [...hoursListened(began, 7200)]).toEqual([{ date: '2026-05-01', hour: null, seconds: 7200 }]);
  });
});

describe('The summary of a survey', () => {
  it('has zeros for times with recordings but no detection, and blanks for times without recordings', () => {
    const summary = createSummary();
    summary.addFile(file('Mill', '2026-05-01T21:30:00Z', 3600, 2));
    summary.addFile({ ...file('Mill', '2026-05-04T02:00:00Z', 1800, 2) });
    summary.addFile(file('Pond', '2026-05-02T02:00:00Z', 3600, 2));
    summary.addFile({ ...file('Pond', '2026-05-03T02:00:00Z', 3600, 2), isAnalyzed: false });
    summary.addDetection(detection('Mill', '2026-05-02', '00:10:00'));
    summary.addDetection(detection('Mill', '2026-05-02', '00:20:00'));
    summary.addDetection(detection('Pond', '2026-05-02', '04:20:00', 'Apus apus'));
    const result = summary.result();
    expect(lines(speciesDaySiteTable(result))).toEqual([
      'Scientific name,Common name,Site,Date,Detections,Hours listened,Detections per hour',
      ...['Apus apus,,Mill,2026-05-01,0,0.5,0.000', 'Apus apus,,Mill,2026-05-02,0,0.5,0.000'],
      ...['Apus apus,,Mill,2026-05-03,,0,', 'Apus apus,,Mill,2026-05-04,0,0.5,0.000'],
      ...['Apus apus,,Pond,2026-05-01,,0,', 'Apus apus,,Pond,2026-05-02,1,1,1.000'],
      ...['Apus apus,,Pond,2026-05-03,,0,', 'Apus apus,,Pond,2026-05-04,,0,'],
      ...['Strix aluco,,Mill,2026-05-01,0,0.5,0.000', 'Strix aluco,,Mill,2026-05-02,2,0.5,4.000'],
      ...['Strix aluco,,Mill,2026-05-03,,0,', 'Strix aluco,,Mill,2026-05-04,0,0.5,0.000'],
      ...['Strix aluco,,Pond,2026-05-01,,0,', 'Strix aluco,,Pond,2026-05-02,0,1,0.000'],
      ...['Strix aluco,,Pond,2026-05-03,,0,', 'Strix aluco,,Pond,2026-05-04,,0,'],
    ]);
    const byHour = lines(speciesHourTable(result)).filter((line) => line.startsWith('Strix aluco'));
    expect(byHour).toHaveLength(24);
    expect([0, 1, 4, 23].map((hour) => byHour[hour])).toEqual([
      ...['Strix aluco,,0,2,0.5,4.000', 'Strix aluco,,1,,0,', 'Strix aluco,,4,0,1.5,0.000', 'Strix aluco,,23,0,0.5,0.000'],
    ]);
    expect(lines(effortTable(result)).slice(1, 5)).toEqual([
      ...['Mill,2026-05-01,1,0.5', 'Mill,2026-05-02,0,0.5', 'Mill,2026-05-03,0,0', 'Mill,2026-05-04,1,0.5'],
    ]);
    expect(result.totals).toMatchObject({ detections: 3, recordings: 3, failed: 1, seconds: 9000, detectionsWithoutEffort: 0 });
  });

  it('adds up recorded time by the local clock of the site, even if clocks change within a recording', () => {
    const secondsAt = (zones?: ReadonlyMap<string, string>) => {
      const summary = createSummary(zones);
      // From 1:30 summer time, for three hours: until 3:30 winter time.
      summary.addFile(file('Mill', '2026-10-24T23:30:00Z', 3 * 3600, 2));
      return summary.result().secondsByHour.slice(1, 5);
    };
    expect(secondsAt(new Map([['Mill', 'Europe/Berlin']]))).toEqual([1800, 7200, 1800, 0]);
    expect(secondsAt()).toEqual([1800, 3600, 3600, 1800]);
  });

  it('writes no zeros if it is unknown which hours were recorded', () => {
    const summary = createSummary();
    summary.addDetection(detection('Mill', '2026-05-01', '04:00:00'));
    summary.addDetection(detection('Mill', '2026-05-03', '04:00:00'));
    summary.addDetection(detection('', '', ''));
    const result = summary.result();
    expect(lines(speciesDaySiteTable(result)).slice(1)).toEqual([
      ...['Strix aluco,,Mill,2026-05-01,1,,', 'Strix aluco,,Mill,2026-05-02,,,', 'Strix aluco,,Mill,2026-05-03,1,,'],
    ]);
    expect(result.totals).toMatchObject({ detections: 3, undatedDetections: 1 });
    expect(summaryReport(result, report)).toContain('No list of recordings');
  });

  it('counts a detection in several tables once, also if its recording has no time', () => {
    const summary = createSummary();
    for (const each of [detection('Mill', '2026-05-01', '04:00:00'), detection('', '', '')])
      for (const again of [each, { ...each, file: './a.wav' }]) summary.addDetection(again);
    summary.addDetection({ ...detection('Mill', '2026-05-01', '04:00:00'), score: 0.8 });
    summary.addDetection({ ...detection('', '', ''), score: 0.8 });
    expect(summary.result().totals).toMatchObject({ detections: 3, undatedDetections: 2 });
  });

  it('refuses a recording that is listed twice, and writes no years of blanks if a clock was wrong', () => {
    const summary = createSummary();
    summary.addFile(file('Mill', '2026-05-01T04:00:00Z', 60));
    expect(() => summary.addFile(file('Mill', '2026-05-01T04:00:00Z', 60))).toThrow('is listed twice');
    const again = file('Mill', '2026-05-01T04:00:00Z', 60);
    expect(() => summary.addFile({ ...again, file: `./${again.file}` })).toThrow('is listed twice');
    summary.addFile(file('Mill', '1990-01-01T00:00:00Z', 60));
    expect(summary.result().dates).toEqual(['1990-01-01', '2026-05-01']);
  });

  it.each(['1970-01-01', '2024-10-22', '2031-01-01'])(
    'lists a recording of %s as far from all other days, and has a row for each day of the season',
    (day) => {
      const summary = createSummary();
      for (let hour = 0; hour < 24; hour += 1)
        for (const date of ['2026-05-01', '2026-05-09'])
          summary.addFile(file('Mill', `${date}T${String(hour).padStart(2, '0')}:00:00Z`, 60));
      summary.addFile({ ...file('Mill', `${day}T04:00:00Z`, 60), file: '6717A2B0.WAV' });
      const { dates, farOff } = summary.result();
      expect(farOff).toEqual([
        `Far from all other days, on ${day}: 6717A2B0.WAV. The clock of the recorder may have been wrong.`,
      ]);
      expect(dates).toHaveLength(10);
      expect(dates).toEqual(expect.arrayContaining(['2026-05-01', '2026-05-05', '2026-05-09', day]));
      expect(summaryReport(summary.result(), report)).toContain('Far from all other days');
    },
  );

  it('has all days of a recorder that paused for months, and none between two seasons', () => {
    const summary = createSummary();
    for (const date of ['2024-03-01', '2024-08-01', '2025-03-01', '2025-03-03'])
      summary.addFile(file('Mill', `${date}T04:00:00Z`, 60));
    const { dates, farOff } = summary.result();
    expect(dates).toHaveLength(154 + 3);
    expect(farOff).toEqual([]);
  });
});

describe('The report of a survey', () => {
  it('is one page without scripts or resources of other sites, whatever the names contain', () => {
    const summary = createSummary();
    const hostile = '<img src=x onerror="alert(1)">\u202e';
    summary.addFile(file(hostile, '2026-05-01T04:00:00Z', 3600));
    summary.addDetection({ ...detection(hostile, '2026-05-01', '04:00:00', hostile), commonName: `</style>${hostile}` });
    const page = summaryReport(summary.result(), { ...report, title: hostile });
    expect(page).toContain("default-src 'none'");
    expect(page).not.toMatch(/<img|<script|<link|\u202e|<[a-z]+ [^>]*(src|href|onerror)=/);
    expect(page.match(/<\/style>/g)).toHaveLength(1);
    expect(page).toContain('CC BY-NC-SA 4.0');
    expect(page).toContain(
      'K. Lisa Yang Center for Conservation Bioacoustics, Cornell Lab of Ornithology, and Chemnitz University of',
    );
  });

  it('shows weeks instead of days for a long season, and leaves none out', () => {
    const summary = createSummary();
    for (let day = 0; day < 90; day += 1) {
      const utc = new Date(Date.parse('2026-03-01T04:00:00Z') + day * 86_400_000).toISOString();
      summary.addFile(file('Mill', utc, 3600));
      summary.addDetection(detection('Mill', utc.slice(0, 10), '04:00:00'));
    }
    const page = summaryReport(summary.result(), report);
    const [, map = ''] = /detections by week<\/caption>([\s\S]*?)<\/table>/.exec(page) ?? [];
    const counts = [...map.matchAll(/<td class="s\d">(\d+)<\/td>/g)].map(([, count]) => Number(count));
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(90);
    expect(counts[0]).toBe(1);
  });
});
