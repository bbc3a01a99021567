import { expect, it } from 'vitest';
import { createSpeciesNames } from './name-labels.ts';

const labels = ['Canis lupus', 'Heteromirafra sidamoensis', 'Gavia stellata'].map((scientificName, index) => ({
  ...{ index, scientificName, labelName: `label of ${scientificName}`, kind: 'bird' as const },
}));
const table = ['Canis lupus_Gray Wolf', 'Heteromirafra sidamoensis_Gray’s Lark', 'Gavia stellata_Red-throated Diver'];

it('British bird names are spelled in British English, except for the names of people', async () => {
  const species = { labels } as unknown as Parameters<typeof createSpeciesNames>[0]['species'];
  const names = createSpeciesNames({ species }, ['en_uk', 'en_us'], async () => table.join('\n'));
  const all = async (language: string) => {
    const nameOf = await names.namesIn(language);
    return labels.map(({ index }) => nameOf(index));
  };
  expect(await all('en-GB')).toEqual(['Grey Wolf', 'Gray’s Lark', 'Red-throated Diver']);
  expect(await all('en_us')).toEqual(['Gray Wolf', 'Gray’s Lark', 'Red-throated Diver']);
});
