import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { searchSpecies } from './species-search-route.ts';

const english = new Map([
  ['Phleocryptes melanops', 'Wren-like Rushbird'],
  ['Zeledonia coronata', 'Wrenthrush'],
  ['Thryorchilus browni', 'Timberline Wren'],
  ['Henicorhina leucosticta', 'White-breasted Wood-Wren'],
  ['Napothera epilepidota', 'Eyebrowed Wren-Babbler'],
  ['Troglodytes troglodytes', 'Eurasian Wren'],
  ['Larvivora ruficeps', 'Robin Accentor'],
  ['Erithacus rubecula', 'European Robin'],
  ['Cossypha archeri', "Archer's Robin-Chat"],
  ['Turdus merula', 'Eurasian Blackbird'],
  ['Agelaius assimilis', 'Blackbird Cousin'],
]);
const german = new Map([
  ['Troglodytes troglodytes', 'Zaunkönig'],
  ['Campylorhynchus griseus', 'Zweifarben-Zaunkönig'],
  ['Turdus merula', 'Amsel'],
  ['Turdus torquatus', 'Amseldrossel'],
]);
const readNames = async (language: string) => {
  const table = await readFile(new URL(`../../../../models/birdnet-v2.4/names/${language}.txt`, import.meta.url), 'utf8');
  return new Map(
    table
      .trim()
      .split('\n')
      .map((line) => line.split('_') as [string, string]),
  );
};
const found = (asked: string, names = english, expected: Parameters<typeof searchSpecies>[2] = []) =>
  searchSpecies(asked, names, expected).map(({ commonName }) => commonName);

describe('The search for species', () => {
  it('puts a name that ends in the typed text before one that begins with it', () => {
    expect(found('wren')).toEqual([
      'Eurasian Wren',
      'Timberline Wren',
      'White-breasted Wood-Wren',
      'Wren-like Rushbird',
      'Wrenthrush',
      'Eyebrowed Wren-Babbler',
    ]);
    expect(found('robin')).toEqual(['European Robin', 'Robin Accentor', "Archer's Robin-Chat"]);
    expect(found('blackbird')).toEqual(['Eurasian Blackbird', 'Blackbird Cousin']);
  });

  it('puts species that are expected at the place first, the likeliest of them at the top', () => {
    const inOhio = [
      { scientificName: 'Thryorchilus browni', occurrence: 0.2 },
      { scientificName: 'Troglodytes troglodytes', occurrence: 0.1 },
      { scientificName: 'Zeledonia coronata', occurrence: 0.9 },
    ];
    expect(found('wren', english, inOhio).slice(0, 4)).toEqual([
      'Wrenthrush',
      'Timberline Wren',
      'Eurasian Wren',
      'White-breasted Wood-Wren',
    ]);
    expect(found('zaunkonig', german, [{ scientificName: 'Campylorhynchus griseus', occurrence: 1 }])[0]).toBe('Zaunkönig');
  });

  it('puts exactly the typed name first', () => {
    expect(found('zaunkonig', german)).toEqual(['Zaunkönig', 'Zweifarben-Zaunkönig']);
    expect(found('Amsel', german)).toEqual(['Amsel', 'Amseldrossel']);
  });

  it('puts species that have the words in a name in another language last, exactly the typed name first among them', () => {
    const all = new Map([
      ['Agelaius assimilis', '\n blackbird cousin \n amselstarling \n'],
      ['Turdus merula', '\n eurasian blackbird \n amsel \n'],
      ['Troglodytes troglodytes', '\n eurasian wren \n zaunkonig \n chochin \n'],
      ['Erithacus rubecula', '\n european robin \n wrenrotkehlchen \n'],
    ]);
    const inAll = (asked: string, expected = [] as { scientificName: string; occurrence: number }[]) =>
      searchSpecies(asked, english, expected, all).map(({ commonName }) => commonName);
    expect(inAll('amsel')).toEqual(['Eurasian Blackbird', 'Blackbird Cousin']);
    expect(inAll('wren', [{ scientificName: 'Erithacus rubecula', occurrence: 1 }]).at(-1)).toBe('European Robin');
    expect(inAll('zaunkonig chochin')).toEqual([]);
    expect(inAll('konig')).toEqual(['Eurasian Wren']);
    expect(inAll('unkoni')).toEqual([]);
  });

  describe('among all names of the model', () => {
    const inChemnitz = [
      'Cyanistes caeruleus',
      'Parus major',
      'Fringilla coelebs',
      'Chloris chloris',
      'Dendrocopos major',
      'Carduelis carduelis',
      'Picus viridis',
      'Periparus ater',
      'Pyrrhula pyrrhula',
      'Erithacus rubecula',
      'Phoenicurus ochruros',
      'Passer domesticus',
    ].map((scientificName, index) => ({ scientificName, occurrence: 0.9 - index / 20 }));

    it.each([
      ['meise', 'de', ['Blaumeise', 'Kohlmeise', 'Tannenmeise']],
      ['specht', 'de', ['Buntspecht', 'Grünspecht']],
      ['fink', 'de', ['Buchfink', 'Grünfink']],
      ['rot', 'de', ['Rotkehlchen', 'Hausrotschwanz']],
      ['tit', 'en_uk', ['Eurasian Blue Tit', 'Great Tit', 'Coal Tit']],
      ['finch', 'en_uk', ['Common Chaffinch', 'European Greenfinch', 'European Goldfinch', 'Eurasian Bullfinch']],
      ['sparrow', 'en_uk', ['House Sparrow']],
    ])('%s in %s finds birds of the place by beginnings and endings, the likeliest first', async (asked, language, first) => {
      const names = await readNames(language);
      const [all, nowhere] = [found(asked, names, inChemnitz), found(asked, names)];
      expect(all.slice(0, first.length)).toEqual(first);
      expect(all[first.length]?.toLowerCase()).toContain(asked);
      expect(all.slice(first.length)).toEqual(
        nowhere.filter((name) => !first.includes(name)).slice(0, all.length - first.length),
      );
    });

    it('without a place puts names that end in the text first and those that have it inside a word last', async () => {
      const names = await readNames('de');
      const all = found('finken', names);
      expect(all.slice(0, 2)).toEqual(['Finkenbülbül', 'Finkenfälkchen']);
      const inside = all.findIndex((name) => !/\b[Ff]inken/.test(name));
      expect(all[inside]).toBe('Bandfinkentangare');
      expect(all.slice(inside)).toEqual(all.filter((name) => !/\b[Ff]inken/.test(name)));
      const tits = found('meise', names);
      expect(tits.slice(0, tits.indexOf('Meisengimpel'))).toEqual(tits.filter((name) => name.endsWith('meise')));
      expect(tits).toContain('Kohlmeise');
    });

    it('finds no endings of scientific names', async () => {
      expect(found('ochruros', await readNames('de'))).toEqual(['Hausrotschwanz']);
      expect(found('hruros', await readNames('de'))).toEqual([]);
    });
  });
});
