import { describe, expect, it } from 'vitest';
import { UsageError } from './command-error.ts';
import { createCommand, HelpPage, listed, nonEmptyText, numberWithin, oneOf } from './command-line.ts';

function read(...args: string[]) {
  const command = createCommand('identify')
    .argument('[files...]')
    .option('--lon <DEGREES>', 'longitude', numberWithin({ min: -180, max: 180 }))
    .option('--week <N>', 'week', numberWithin({ min: 1, max: 48, whole: true }))
    .option('--format <FORMAT>', 'format', oneOf(['table', 'json', 'csv']))
    .option('--out <FILE>', 'where to', nonEmptyText)
    .option('--show-hidden', 'all')
    .parse(args, { from: 'user' });
  return { files: command.args, ...command.opts() };
}

describe('The parser of command lines (`createCommand`)', () => {
  it('separates files from options, in whatever order they are given', () => {
    expect(read('a.wav', '--lon', '12.9', 'b.wav', '--format=json')).toEqual({
      files: ['a.wav', 'b.wav'],
      lon: 12.9,
      format: 'json',
    });
  });

  it('accepts a negative number as the value of an option', () => {
    expect(read('--lon', '-76.45', 'a.wav').lon).toBe(-76.45);
    expect(read('--lon=-.5').lon).toBe(-0.5);
  });

  it('treats every argument after -- as a file', () => {
    expect(read('--', '--lon', '-1.wav').files).toEqual(['--lon', '-1.wav']);
  });

  it.each([
    [['--fromat', 'json'], "Unknown option '--fromat' (Did you mean --format?)"],
    [['--colour'], "Unknown option '--colour'. identify --help shows the options."],
    [['-x'], "Unknown option '-x'. identify --help shows the options."],
    [['--lon'], "Option '--lon <DEGREES>' argument missing. identify --help shows the options."],
    [['--out='], "Option '--out <FILE>' argument '' is invalid. It needs a value."],
    [['--format='], "Option '--format <FORMAT>' argument '' is invalid. It must be table, json or csv."],
    [['--format', 'xml'], "Option '--format <FORMAT>' argument 'xml' is invalid. It must be table, json or csv."],
    [['--show-hidden=yes'], "Unknown option '--show-hidden=yes'"],
    [['--lon=12,9'], "argument '12,9' is invalid. It must be a number from -180 to 180."],
    [['--lon=181'], 'It must be a number from -180 to 180.'],
    [['--lon=1e3'], "argument '1e3' is invalid"],
    [['--lon=Infinity'], "argument 'Infinity' is invalid"],
    [['--week=1.5'], 'It must be a whole number from 1 to 48.'],
  ])('refuses %j and says what was found and what works', (args, sentence) => {
    expect(() => read(...args)).toThrow(UsageError);
    expect(() => read(...args)).toThrow(sentence);
  });

  it('joins the lines of a description on the help page, but keeps paragraphs and lines that begin with `term: `', () => {
    const command = createCommand('identify').description('Names\nbirds.\n\ncsv: a table\nfor all.\nebird: lists.');
    expect(command.helpInformation()).toContain('\nNames birds.\n\ncsv: a table for all.\nebird: lists.\n');
  });

  it('returns the help page for --help instead of printing it', () => {
    expect(() => read('--help')).toThrow(HelpPage);
    expect(() => read('-h', '--lon', '12')).toThrow(
      /^Usage: identify [\s\S]*--format <FORMAT> {2,}format\n[\s\S]*show this help\n/,
    );
  });
});

it('The formatter of lists (`listed`) joins words with commas and a last “or” or “and”', () => {
  expect(listed(['a'])).toBe('a');
  expect(listed(['a', 'b', 'c'])).toBe('a, b or c');
  expect(listed(['a', 'b'], 'and')).toBe('a and b');
});
