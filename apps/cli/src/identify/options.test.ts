import { describe, expect, it } from 'vitest';
import { UsageError } from '../command-error.ts';
import { readOptions } from '../testing/read-options.ts';
import { identifyCommand } from './options.ts';

const read = (...args: string[]) => readOptions(identifyCommand, ['a.wav', ...args]);

describe('The options of `chiffchaff identify`', () => {
  it('have defaults for all but the recordings', () => {
    const tables = { showHidden: false, minConfidence: 0, excelSafe: false, sounds: false };
    const own = {
      sites: null,
      species: null,
      minOccurrence: null,
      preprocessing: null,
      perClip: true,
      thresholds: null,
      when: null,
      readsMetadata: true,
    };
    expect(read()).toEqual({
      asked: ['a.wav'],
      formats: ['table'],
      isStrict: false,
      out: null,
      overwrites: false,
      place: null,
      ...own,
      top: 5,
      tables,
    });
  });

  it('count birds as expected (--expected) from an occurrence of 0.03, or from that of --min-occurrence', () => {
    expect(read('--expected').minOccurrence).toBe(0.03);
    expect(read('--expected', '--min-occurrence', '0.2').minOccurrence).toBe(0.2);
  });

  it('set channel, frequencies and speed, and refuse a frequency range with nothing to analyse in it', () => {
    expect(read('--channel', '2', '--fmin', '150', '--fmax', '12000').preprocessing).toEqual({
      ...{ channel: 2, minHz: 150, maxHz: 12_000 },
    });
    expect(read('--speed', '0.125', '--fmin', '20000').preprocessing).toEqual({ speed: 0.125, minHz: 20_000 });
    expect(read('--speed', '1').preprocessing).toBeNull();
    expect(() => read('--fmin', '24000')).toThrow(new UsageError('--fmin must be below 24000 Hz.'));
    expect(() => read('--fmax', '12000', '--speed', '2')).toThrow('--fmax must be below 12000 Hz at that speed.');
    expect(() => read('--fmin', '900', '--fmax', '800')).toThrow('--fmin must be below --fmax.');
    expect(() => read('--channel', '0')).toThrow('It must be a whole number from 1 to 32.');
  });

  it('take - as the name of standard output', () => {
    expect(read('--out', '-').out).toBeNull();
    expect(read('--out', 'heard.csv').out).toBe('heard.csv');
  });

  it('require a recording', () => {
    expect(() => readOptions(identifyCommand, ['--format', 'json'])).toThrow(
      "Missing required argument 'FILE|FOLDER'. identify --help shows the options.",
    );
  });

  it('refuse an empty path instead of taking it for the current folder', () => {
    expect(() => read('')).toThrow('One of the recordings has an empty name. Use "." for the current folder.');
  });

  it.each([
    ['2026-01-01', 1],
    ['2026-01-07', 1],
    ['2026-01-08', 2],
    ['2026-05-31', 20],
    ['2024-02-29', 8],
    ['2026-12-31', 48],
  ])('turn the date %s into week %i of the year', (date, week) => {
    expect(read('--lat', '50.8', '--lon', '12.9', '--date', date).place).toEqual({
      latitude: 50.8,
      longitude: 12.9,
      week,
      date,
    });
  });

  it.each(['2026-02-30', '2026-13-01', '01.05.2026', '2026-5-1'])('refuse %s as a date of a recording', (date) => {
    expect(() => read('--lat', '1', '--lon', '1', '--date', date)).toThrow(
      `--date takes a date such as 2026-05-01, not "${date}".`,
    );
  });

  it.each([
    [['--lat', '50'], '--lat needs --lon as well'],
    [['--lon', '-76.45'], '--lon needs --lat as well'],
    [['--week', '3'], '--week needs a place'],
    [['--lat', '1', '--lon', '1', '--week', '3', '--date', '2026-01-01'], 'not both'],
    [['--lat', '1', '--lon', '1', '--time-zone', 'Europe/London'], 'Give --time-zone or a place, not both'],
    [['--time-zone', 'Europe/London', '--week', '3'], '--week needs a place'],
    [['--time-zone', ''], 'It needs a value'],
    [['--week', '49', '--lat', '1', '--lon', '1'], 'from 1 to 48'],
    [['--lat', '91', '--lon', '1'], 'from -90 to 90'],
    [['--min-score', '70'], 'from 0 to 1'],
    [['--overlap', '3'], 'from 0 to 2.9'],
    [['--top', '0'], 'whole number from 1 to 100'],
    [['--min-confidence', '70'], 'from 0 to 1'],
    [['--min-occurrence', '0.1'], '--min-occurrence needs --expected'],
    [['--expected', '--time-zone', 'Europe/London'], '--expected needs a place'],
    [['--format', 'csv', '--format', 'json'], 'Several formats need --out'],
    [['--excel-safe', '--format', 'raven'], '--excel-safe is for --format csv'],
  ])('refuse the arguments %j with a sentence', (args, sentence) => {
    expect(() => read(...args)).toThrow(UsageError);
    expect(() => read(...args)).toThrow(sentence);
  });
});
