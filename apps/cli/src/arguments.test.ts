import { describe, expect, it } from 'vitest';
import { describeOptions, readArguments } from './arguments.ts';
import { UsageError } from './command-error.ts';

const specs = {
  lon: { value: 'DEGREES', help: 'longitude' },
  'min-score': { value: 'SCORE', help: 'score', aliases: ['min-confidence'] },
  format: { value: 'FORMAT', help: 'format' },
  help: { help: 'this page' },
} as const;
const read = (...args: string[]) => readArguments('identify', specs, args);

describe('readArguments', () => {
  it('keeps files and options apart, in any order', () => {
    const given = read('a.wav', '--lon', '12.9', 'b.wav', '--format=json');
    expect(given.positionals).toEqual(['a.wav', 'b.wav']);
    expect(given.number('lon', { min: -180, max: 180 })).toBe(12.9);
    expect(given.choice('format', ['table', 'json'])).toBe('json');
  });

  it('reads a negative number that stands by itself', () => {
    expect(read('--lon', '-76.45', 'a.wav').number('lon', { min: -180, max: 180 })).toBe(-76.45);
    expect(read('--lon=-76.45').number('lon', { min: -180, max: 180 })).toBe(-76.45);
  });

  it('takes an alias for the option', () => {
    expect(read('--min-confidence', '.5').number('min-score', { min: 0, max: 1 })).toBe(0.5);
  });

  it('takes everything after -- as files', () => {
    expect(read('--', '--lon', '-1.wav').positionals).toEqual(['--lon', '-1.wav']);
  });

  it('names what was found and the option that was probably meant', () => {
    expect(() => read('--fromat', 'json')).toThrow('identify does not know --fromat. Did you mean --format?');
    expect(() => read('--colour')).toThrow(/does not know --colour\. --lon, .* or --help work\./);
    expect(() => read('-x')).toThrow(UsageError);
  });

  it.each([
    ['12,9', 'found "12,9"'],
    ['181', 'from -180 to 180'],
    ['1e3', 'found "1e3"'],
    ['Infinity', 'found "Infinity"'],
  ])('refuses %s as a longitude', (text, sentence) => {
    expect(() => read(`--lon=${text}`).number('lon', { min: -180, max: 180 })).toThrow(sentence);
  });

  it('refuses a part where a whole number is needed', () => {
    expect(() => read('--lon=1.5').number('lon', { min: 1, max: 48, whole: true })).toThrow('whole number from 1 to 48');
  });

  it('refuses a value that is missing, empty or not wanted', () => {
    expect(() => read('--lon')).toThrow('--lon needs a value: --lon DEGREES.');
    expect(() => read('--format=')).toThrow('--format needs a value');
    expect(() => read('--help=yes')).toThrow('--help takes no value');
  });

  it('lists the choices when none of them was given', () => {
    expect(() => read('--format', 'xml').choice('format', ['table', 'json', 'csv'])).toThrow(
      '--format takes table, json or csv; we found "xml".',
    );
  });
});

it('describes every option with its aliases', () => {
  const page = describeOptions(specs);
  expect(page).toContain('--min-score, --min-confidence SCORE');
  expect(page.split('\n').filter((line) => line.startsWith('  --'))).toHaveLength(4);
});
