import { expect, it } from 'vitest';
import { UsageError } from '../command-error.ts';
import { readOptions } from '../testing/read-options.ts';
import { modelCommand } from './options.ts';

const read = (args: readonly string[]) => readOptions(modelCommand, args);

it('`chiffchaff model` reads the arguments of its actions install, inspect and convert', () => {
  expect(read(['install'])).toEqual({ action: 'install' });
  expect(read(['inspect', '--json'])).toEqual({ action: 'inspect', json: true });
  expect(read(['convert', 'a.whl', '--out', 'x'])).toEqual({ action: 'convert', from: 'a.whl', out: 'x' });
});

it.each([
  [['remove'], "Unknown command 'remove'. model --help shows the options."],
  [['install', 'birdnet'], "Too many arguments for 'install'. Expected 0 arguments but got 1: birdnet."],
  [['install', '--json'], "Unknown option '--json'. model install --help shows the options."],
  [['convert', 'a.whl'], "Required option '--out <FOLDER>' not specified. model convert --help shows the options."],
  [['convert', '--out', 'x'], "Missing required argument 'FILE'."],
])('`chiffchaff model` refuses the arguments %j', (args, sentence) => {
  expect(() => read(args)).toThrow(UsageError);
  expect(() => read(args)).toThrow(sentence);
});
