import { describe, expect, it } from 'vitest';
import { UsageError } from '../command-error.ts';
import { readOptions } from '../testing/read-options.ts';
import { identifyCommand } from './options.ts';

const read = (...args: string[]) => readOptions(identifyCommand, ['a.wav', ...args]);

describe('identifyCommand', () => {
  it('needs nothing but a recording', () => {
    const tables = { showHidden: false, minConfidence: 0, excelSafe: false };
    expect(read()).toEqual({ asked: ['a.wav'], format: 'table', out: null, place: null, top: 5, tables });
  });

  it('takes - for standard output', () => {
    expect(read('--out', '-').out).toBeNull();
    expect(read('--out', 'heard.csv').out).toBe('heard.csv');
  });

  it('needs a recording', () => {
    expect(() => readOptions(identifyCommand, ['--format', 'json'])).toThrow(
      "Missing required argument 'FILE|FOLDER'. identify --help lists what works.",
    );
  });

  it('does not take an empty name, of a variable that is not set, for the folder one stands in', () => {
    expect(() => read('')).toThrow('One of the recordings has an empty name; the folder that you stand in is called ".".');
  });

  it.each([
    ['2026-01-01', 1],
    ['2026-01-07', 1],
    ['2026-01-08', 2],
    ['2026-05-31', 20],
    ['2024-02-29', 8],
    ['2026-12-31', 48],
  ])('takes %s for week %i', (date, week) => {
    expect(read('--lat', '50.8', '--lon', '12.9', '--date', date).place).toEqual({
      latitude: 50.8,
      longitude: 12.9,
      week,
      date,
    });
  });

  it.each(['2026-02-30', '2026-13-01', '01.05.2026', '2026-5-1'])('refuses %s as a date', (date) => {
    expect(() => read('--lat', '1', '--lon', '1', '--date', date)).toThrow(
      `--date takes a day such as 2026-05-01; we found "${date}".`,
    );
  });

  it.each([
    [['--lat', '50'], '--lat needs --lon too'],
    [['--lon', '-76.45'], '--lon needs --lat too'],
    [['--week', '3'], '--week has a meaning only with a place'],
    [['--lat', '1', '--lon', '1', '--week', '3', '--date', '2026-01-01'], 'not both'],
    [['--week', '49', '--lat', '1', '--lon', '1'], 'from 1 to 48'],
    [['--lat', '91', '--lon', '1'], 'from -90 to 90'],
    [['--min-score', '70'], 'from 0 to 1'],
    [['--overlap', '3'], 'from 0 to 2.9'],
    [['--top', '0'], 'whole number from 1 to 100'],
    [['--min-confidence', '70'], 'from 0 to 1'],
    [['--excel-safe', '--format', 'raven'], '--excel-safe is for --format csv'],
  ])('refuses %j', (args, sentence) => {
    expect(() => read(...args)).toThrow(UsageError);
    expect(() => read(...args)).toThrow(sentence);
  });
});
