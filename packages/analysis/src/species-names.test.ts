import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ModelFolder } from '@chiffchaff/recognizer/node';
import { describe, expect, it } from 'vitest';
import { openSpeciesNames } from './open-answerer.ts';
import { temporaryFolder } from './testing/temporary-folder.ts';

const label = (index: number, scientificName: string, labelName: string, kind: 'bird' | 'nonEvent' = 'bird') => ({
  index,
  scientificName,
  labelName,
  kind,
});

const labels = [
  label(0, 'Phylloscopus collybita', 'Common Chiffchaff'),
  label(1, 'Turdus merula', 'Eurasian Blackbird'),
  label(2, 'Rara avis', ''),
  label(3, 'Engine', 'Engine', 'nonEvent'),
];

describe('The names of species (`openSpeciesNames`)', () => {
  const folder = temporaryFolder();

  async function open() {
    mkdirSync(join(folder.path, 'names'), { recursive: true });
    folder.write('names/de.txt', 'Phylloscopus collybita_Zilpzalp\nTurdus merula_Turdus merula\nRara avis_\nEngine_Motor');
    folder.write('names/en_uk.txt', 'Turdus merula_Blackbird\r\n');
    folder.write('names/en_us.txt', 'Turdus merula_Eurasian Blackbird\n');
    folder.write('names/read-me.md', 'no table');
    // Only the parts that species names need.
    const modelFolder = {
      path: folder.path,
      manifest: { labels: { namesFolder: 'names' } },
      species: { labels },
    } as unknown as ModelFolder;
    return openSpeciesNames(modelFolder);
  }
  const all = async (language: string) => {
    const nameOf = await (await open()).namesIn(language);
    return labels.map(({ index }) => nameOf(index));
  };

  it('have a list of available languages, American English first', async () => {
    expect((await open()).languages).toEqual(['en_us', 'en_uk', 'de']);
  });

  it('fall back to English, then to the scientific name, and keep the labels of other sounds unchanged', async () => {
    expect(await all('de')).toEqual(['Zilpzalp', 'Eurasian Blackbird', 'Rara avis', 'Engine']);
  });

  it.each([
    ['en', 'Eurasian Blackbird'],
    ['en_us', 'Eurasian Blackbird'],
    ['en-GB', 'Blackbird'],
    ['en_uk', 'Blackbird'],
    ['xx', 'Eurasian Blackbird'],
    ['../../de', 'Eurasian Blackbird'],
  ])('in the language %s call Turdus merula “%s”', async (language, blackbird) => {
    expect((await all(language))[1]).toBe(blackbird);
  });

  it.each(['de-AT', 'DE', 'de_ch'])('treat %s as German', async (language) => {
    expect((await all(language))[0]).toBe('Zilpzalp');
  });
});
