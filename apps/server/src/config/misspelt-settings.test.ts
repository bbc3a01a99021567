import { expect, it } from 'vitest';
import { misspeltSettings } from './misspelt-settings.ts';
import { rows } from './variables.ts';

it.each([
  ['MAIL_FORM', 'MAIL_FROM'],
  ['SIGN_IN_PER_CLIENT', 'SIGN_IN_LIMIT_PER_CLIENT'],
  ['QUOTA_PER_CLIENTS', 'QUOTA_PER_CLIENT'],
  ['DATADIR', 'DATA_DIR'],
  ['AWS_SECRET_ACCES_KEY', 'AWS_SECRET_ACCESS_KEY'],
])('The variable %s is reported as not a setting, with the closest name and without its value', (name, meant) => {
  expect(misspeltSettings({ [name]: 'hush' })).toEqual([`${name} is not a setting and is ignored; the closest one is ${meant}`]);
});

it.each(['TERMS_STATE', 'DEFAULT_LATITUDE', 'SPECIES_PICTURES'])(
  'The variable %s, named like a setting of the operator, is reported with where to set it, not with its value',
  (name) => {
    expect(misspeltSettings({ [name]: 'hush' })).toEqual([
      `${name} is not read from the environment and is ignored; set it at /setup, with "./chiffchaff admin settings" or in SETTINGS_FILE`,
    ]);
  },
);

it.each([
  'PATH',
  'SORT',
  'NODE_OPTIONS',
  'AWS_PROFILE',
  'SESSION_MANAGER',
  'LOGNAME',
  'POSTGRES_PASSWORD',
  'npm_config_loglevel',
])('The variable %s, meant for another program, is not reported as a misspelt setting', (name) => {
  expect(misspeltSettings({ [name]: 'x' })).toEqual([]);
});

it('Variables that are settings are not reported as misspelt', () => {
  expect(misspeltSettings(Object.fromEntries(rows.map(({ name, example }) => [name, example])))).toEqual([]);
});
