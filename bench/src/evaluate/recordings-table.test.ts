import { readAliases } from '@chiffchaff/analysis';
import { InputError } from '@chiffchaff/cli';
import { expect, it } from 'vitest';
import { isBirdFree, readRecordingsTable } from './recordings-table.ts';

it('finds the columns by name, wherever they stand', () => {
  const rows = readRecordingsTable('group\tfile\tscientific_name\tsplit\r\nbird\ta.opus\tParus major\ttest\r\n', 'x.tsv');
  expect(rows).toEqual([{ file: 'a.opus', split: 'test', scientificName: 'Parus major', group: 'bird', label: '', source: '' }]);
});

it('names the columns that are missing', () => {
  expect(() => readRecordingsTable('file\tname\n', 'x.tsv')).toThrow(InputError);
  expect(() => readRecordingsTable('file\tname\n', 'x.tsv')).toThrow('x.tsv has no column split, scientific_name and group.');
});

it('takes cocks, hens and crows out of the bird-free sounds', () => {
  const row = { file: 'a', split: 'test', scientificName: '', group: 'esc50', label: 'rain', source: '' };
  expect(isBirdFree(row)).toBe(true);
  expect(isBirdFree({ ...row, label: 'rooster' })).toBe(false);
  expect(isBirdFree({ ...row, group: 'insect', label: 'Cicada' })).toBe(true);
  expect(isBirdFree({ ...row, group: 'bird' })).toBe(false);
  expect(isBirdFree({ ...row, scientificName: 'Parus major' })).toBe(false);
});

it('reads aliases without remarks and without classes that are no birds', () => {
  const aliases = readAliases('# remark\nname\tmodel\trelation\nAstur cooperii\tAccipiter cooperii\tmoved\nX\tDog\tnonbird\n');
  expect([...aliases]).toEqual([['Astur cooperii', 'Accipiter cooperii']]);
});
