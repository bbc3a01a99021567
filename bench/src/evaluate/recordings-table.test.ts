import { readAliases } from '@chiffchaff/analysis';
import { InputError } from '@chiffchaff/cli';
import { expect, it } from 'vitest';
import { isBirdFree, readRecordingsTable } from './recordings-table.ts';

it('The table of test recordings is read by the names of its columns, in any order', () => {
  const rows = readRecordingsTable('group\tfile\tscientific_name\tsplit\r\nbird\ta.opus\tParus major\ttest\r\n', 'x.tsv');
  expect(rows).toEqual([{ file: 'a.opus', split: 'test', scientificName: 'Parus major', group: 'bird', label: '', source: '' }]);
});

it('The table of test recordings is refused with the names of missing columns', () => {
  expect(() => readRecordingsTable('file\tname\n', 'x.tsv')).toThrow(InputError);
  expect(() => readRecordingsTable('file\tname\n', 'x.tsv')).toThrow('x.tsv has no column split, scientific_name and group.');
});

it('The table of test recordings does not count rows with cocks, hens, crows or named birds as free of birds', () => {
  const row = { file: 'a', split: 'test', scientificName: '', group: 'esc50', label: 'rain', source: '' };
  expect(isBirdFree(row)).toBe(true);
  expect(isBirdFree({ ...row, label: 'rooster' })).toBe(false);
  expect(isBirdFree({ ...row, group: 'insect', label: 'Cicada' })).toBe(true);
  expect(isBirdFree({ ...row, group: 'bird' })).toBe(false);
  expect(isBirdFree({ ...row, scientificName: 'Parus major' })).toBe(false);
});

it('The table of other species names is read without comments and without labels that are no birds', () => {
  const aliases = readAliases('# remark\nname\tmodel\trelation\nAstur cooperii\tAccipiter cooperii\tmoved\nX\tDog\tnonbird\n');
  expect([...aliases]).toEqual([['Astur cooperii', 'Accipiter cooperii']]);
});
