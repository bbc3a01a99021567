import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readConfig } from '../config/config.ts';
import { operatorSettings } from './operator-settings.ts';

let folder: string;
let path: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'chiffchaff-settings-file-'));
  path = join(folder, 'settings.json');
});
afterAll(() => rm(folder, { recursive: true }));

const read = async (content: string) => {
  await writeFile(path, content);
  return readConfig({ SETTINGS_FILE: path }).config.fixedSettings;
};

describe('The settings file', () => {
  it('can contain any of the settings, numbers with or without quotes', async () => {
    const examples = Object.fromEntries(Object.entries(operatorSettings).map(([name, { example }]) => [name, example]));
    expect(await read(JSON.stringify(examples))).toEqual(examples);
    expect(await read('{"disputeYears": 3, "siteName": " Birds "}')).toEqual({ disputeYears: '3', siteName: 'Birds' });
    expect(await read('{}')).toEqual({});
    expect(readConfig({}).config.fixedSettings).toEqual({});
  });

  it.each([
    ['text that is not JSON', 'SITE_NAME=hush', 'SETTINGS_FILE must be a file with a JSON object: PATH is not one.'],
    ['a list instead of an object', '["hush"]', 'SETTINGS_FILE must be a file with a JSON object: PATH is not one.'],
    [
      'a wrong value',
      '{"disputeYears": 99}',
      'disputeYears in PATH must be a whole number of years from 1 to 30, for example 3.',
    ],
    ['an empty value', '{"state": ""}', 'state in PATH must be text of at most 300 characters, for example Saxony.'],
    ['a list as a value', '{"county": ["hush"]}', 'county in PATH must be text of at most 300 characters, for example Chemnitz.'],
    [
      'a misspelt name',
      '{"sitName": "hush"}',
      'sitName in PATH must be a setting of docs/configuration.md; the closest one is siteName.',
    ],
  ])('with %s keeps the server from starting; the error names file and setting, no value', async (_what, content, fault) => {
    const error = await read(content).catch((thrown) => thrown);
    expect(error.message).toBe(`The configuration has an error:\n  ${fault.replace('PATH', path)}`);
    expect(error.message).not.toContain('hush');
  });

  it('keeps the server from starting if it does not exist', () => {
    const missing = join(folder, 'missing.json');
    expect(() => readConfig({ SETTINGS_FILE: missing })).toThrow(
      `SETTINGS_FILE must be a file with a JSON object: ${missing} does not exist.`,
    );
  });
});
