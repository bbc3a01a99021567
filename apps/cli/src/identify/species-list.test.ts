import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ModelNames } from '@chiffchaff/analysis';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readSpeciesList } from './species-list.ts';

const names: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
  en: [
    ['Turdus merula', 'Eurasian Blackbird'],
    ['Turdus migratorius', 'American Robin'],
    ['Erithacus rubecula', 'European Robin'],
    ['Petroica macrocephala', 'Tomtit'],
    ['Tyto alba', 'Barn Owl'],
    ['Accipiter gentilis', 'Northern Goshawk'],
    ['Corvus brachyrhynchos', 'American Crow'],
    ['Acanthis flammea', 'Common Redpoll'],
    ['Acanthis hornemanni', 'Hoary Redpoll'],
    ['Streptopelia decaocto', 'Eurasian Collared-Dove'],
    ['Pluvialis squatarola', 'Gray Plover'],
    ['Regulus ignicapilla', 'Common Firecrest'],
    ['Luscinia svecica', 'Bluethroat'],
    ['Ketupa ketupu', "Verreaux's Eagle-Owl"],
  ],
  de: [
    ['Turdus merula', 'Amsel'],
    ['Turdus migratorius', 'Wanderdrossel'],
    ['Erithacus rubecula', 'Rotkehlchen'],
    ['Petroica macrocephala', 'Amsel'],
  ],
};
const analyzer: ModelNames = {
  languages: ['en', 'de'],
  namesIn: async (language) => new Map(names[language] ?? names.en),
  birdCalled: async (name) => (name === 'planesticus merula' ? 'Turdus merula' : null),
  otherSounds: [
    { index: 1, scientificName: 'Human vocal', labelName: 'Human vocal', kind: 'nonEvent' },
    { index: 2, scientificName: 'Anaxyrus americanus', labelName: 'American Toad', kind: 'nonBird' },
  ],
};

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'chiffchaff-list-'));
});
afterEach(() => rm(folder, { recursive: true }));

let notes: string[] = [];
const note = (sentence: string) => notes.push(sentence);

async function read(text: string | Uint8Array, language?: string, isStrict = false) {
  notes = [];
  await writeFile(join(folder, 'list.txt'), text);
  const options = { startFolder: folder, analyzer, isStrict, note, ...(language === undefined ? {} : { language }) };
  return readSpeciesList('list.txt', options);
}

it('A species list accepts scientific names, common names in any language, and names from other lists', async () => {
  const text =
    '\uFEFF# "target" species\r\n\r\nturdus  MERULA\r\nPlanesticus merula\r\nAmerican robin\r\nErithacus rubecula_Robin\r\nRotkehlchen';
  expect(await read(text)).toEqual(['Turdus merula', 'Turdus migratorius', 'Erithacus rubecula']);
});

it('A species list with unknown names is used without them, with a note of similar names, or refused with --strict-list', async () => {
  const text = 'Turdus merulla\nAmerican robin\nAmerican Barn Owls\nAmsl\n';
  const listed =
    "list.txt names birds that the model doesn't know:\nline 1: “Turdus merulla”; the nearest name is “Turdus merula”.\n" +
    'line 3: “American Barn Owls”; the nearest name is “barn owl”.\nline 4: “Amsl”;';
  expect(await read(text)).toEqual(['Turdus migratorius']);
  expect(notes).toEqual([expect.stringContaining(listed)]);
  expect(notes[0]).toContain('The run goes on without them; --strict-list makes them an error.');
  await expect(read(text, undefined, true)).rejects.toThrow(listed);
  await expect(read('a\nb\nc\nd\ne\nf\ng')).rejects.toThrow(/line 5:.*\n… and 2 more lines$/);
});

it('A species list accepts today’s names of split, lumped and moved species, with a note if the model’s species differs', async () => {
  expect(await read('Tyto furcata\nWestern Barn Owl\nAmerican Barn-Owl')).toEqual(['Tyto alba']);
  expect(notes).toEqual(
    ['Tyto furcata', 'Western Barn Owl', 'American Barn-Owl'].map(
      (name, index) => `list.txt: line ${index + 1}: “${name}” is part of Tyto alba in the model, which can't tell them apart.`,
    ),
  );
  expect(await read('American Goshawk')).toEqual(['Accipiter gentilis']);
  expect(notes).toEqual([expect.stringContaining('is part of Accipiter gentilis in the model')]);
  expect(await read('Redpoll\nCyanecula svecica')).toEqual(['Acanthis flammea', 'Acanthis hornemanni', 'Luscinia svecica']);
  expect(notes).toEqual(['list.txt: line 1: “Redpoll” is Acanthis flammea, Acanthis hornemanni in the model.']);
});

it('A species list accepts names that differ in hyphens, blanks, apostrophes, the spelling of grey or gender', async () => {
  const text = 'Eurasian Collared Dove\nGrey Plover\nRegulus ignicapillus\nVerreaux’s Eagle Owl\n"Turdus merula"\n';
  expect(await read(text)).toEqual([
    ...['Streptopelia decaocto', 'Pluvialis squatarola', 'Regulus ignicapilla', 'Ketupa ketupu', 'Turdus merula'],
  ]);
  expect(notes).toEqual([]);
});

it('A species list leaves out sounds that are no birds, with a note', async () => {
  expect(await read('Erithacus rubecula_European Robin\nHuman vocal_Human vocal\nAmerican Toad')).toEqual(['Erithacus rubecula']);
  expect(notes).toEqual([
    'list.txt: line 2: “Human vocal_Human vocal” is no bird, so it is left out.',
    'list.txt: line 3: “American Toad” is no bird, so it is left out.',
  ]);
});

it('A species list may be a table with a column of names, in any encoding', async () => {
  const both = ['Turdus merula', 'Erithacus rubecula'];
  expect(await read('No;Common name;Scientific name\r1;Amsel;Turdus merula\r2;Robin;Erithacus rubecula\r')).toEqual(both);
  expect(await read('Common name\nEurasian Blackbird\nEuropean Robin\n')).toEqual(both);
  expect(await read('Turdus merula,Eurasian Blackbird\n2,Erithacus rubecula,\n,,\n')).toEqual(both);
  expect(await read(Buffer.from('\ufeffTurdus merula\r\nErithacus rubecula', 'utf16le'))).toEqual(both);
  expect(notes).toEqual([]);
  expect(await read(Buffer.from('# für alle\nTurdus merula\nRotkehlchen\n', 'latin1'))).toEqual(both);
  expect(notes).toEqual([
    'list.txt is not UTF-8; it is read as Windows-1252, which gives “für”. If that is wrong, so are other names: save it as CSV UTF-8.',
  ]);
});

it('A species list may name several species in a line, which are all taken, with a note', async () => {
  expect(await read('Turdus merula, Erithacus rubecula, Tomtit\nTurdus migratorius,Wanderdrossel\n')).toEqual([
    ...['Turdus merula', 'Erithacus rubecula', 'Petroica macrocephala', 'Turdus migratorius'],
  ]);
  expect(notes).toEqual([
    'list.txt: line 1 names several species, and all are taken: Turdus merula, Erithacus rubecula, Petroica macrocephala.',
  ]);
  expect(await read('scientificName;remarks\nTurdus merula;with Erithacus rubecula\n')).toEqual(['Turdus merula']);
  expect(notes).toEqual([]);
});

it('A species list is refused if a name in it belongs to several birds', async () => {
  await expect(read('Amsel', 'de')).rejects.toThrow(
    '“Amsel” may be Turdus merula or Petroica macrocephala; write the scientific name.',
  );
});

it('A species list that is empty or unreadable is refused', async () => {
  await expect(read('# nothing\n\n')).rejects.toThrow('list.txt names no species. Write one a line, such as Turdus merula.');
  await expect(readSpeciesList('none.txt', { startFolder: folder, analyzer, isStrict: false, note })).rejects.toThrow(
    "The list of species none.txt can't be read: there is no such file.",
  );
});
