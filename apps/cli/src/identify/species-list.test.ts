import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createFakeAnalyzer } from '../testing/fake-analyzer.ts';
import { readSpeciesList } from './species-list.ts';

const names: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
  en: [
    ['Turdus merula', 'Eurasian Blackbird'],
    ['Turdus migratorius', 'American Robin'],
    ['Erithacus rubecula', 'European Robin'],
    ['Petroica macrocephala', 'Tomtit'],
  ],
  de: [
    ['Turdus merula', 'Amsel'],
    ['Turdus migratorius', 'Wanderdrossel'],
    ['Erithacus rubecula', 'Rotkehlchen'],
    ['Petroica macrocephala', 'Amsel'],
  ],
};
const fake = createFakeAnalyzer();
const analyzer = {
  languages: ['en', 'de'],
  namesIn: async (language: string) => new Map(names[language] ?? names.en),
  species: {
    ...fake.species,
    profile: async (name: string) => (name === 'Planesticus merula' ? { scientificName: 'Turdus merula' } : null),
  },
} as unknown as typeof fake;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'chiffchaff-list-'));
});
afterEach(() => rm(folder, { recursive: true }));

async function read(text: string, language?: string) {
  await writeFile(join(folder, 'list.txt'), text);
  return readSpeciesList('list.txt', {
    startFolder: folder,
    analyzer,
    note: () => {},
    ...(language === undefined ? {} : { language }),
  });
}

it('A species list accepts scientific names, common names in any language, and names from other lists', async () => {
  const text =
    '\uFEFF# target species\r\n\r\nturdus  MERULA\r\nPlanesticus merula\r\nAmerican robin\r\nErithacus rubecula_Robin\r\nRotkehlchen';
  expect(await read(text)).toEqual(['Turdus merula', 'Turdus migratorius', 'Erithacus rubecula']);
});

it('A species list is refused with each line that names no bird, and similar names', async () => {
  await expect(read('Turdus merulla\nAmerican robin\nAmsl\n')).rejects.toThrow(
    "list.txt names birds that the model doesn't know:\nline 1: “Turdus merulla”; the nearest name is “Turdus merula”.\nline 3: “Amsl”;",
  );
  await expect(read('a\nb\nc\nd\ne\nf\ng')).rejects.toThrow(/line 5:.*\n… and 2 more lines$/);
});

it('A species list is refused where a name belongs to several birds', async () => {
  await expect(read('Amsel', 'de')).rejects.toThrow(
    '“Amsel” may be Turdus merula or Petroica macrocephala; write the scientific name.',
  );
});

it('A species list that is empty or unreadable is refused', async () => {
  await expect(read('# nothing\n\n')).rejects.toThrow('list.txt names no species. Write one a line, such as Turdus merula.');
  await expect(readSpeciesList('none.txt', { startFolder: folder, analyzer, note: () => {} })).rejects.toThrow(
    "The list of species none.txt can't be read: there is no such file.",
  );
});
