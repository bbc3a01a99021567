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
      'Timberline Wren',
      'Eurasian Wren',
      'Wrenthrush',
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
      ['Agelaius assimilis', '\n blackbird cousin\n amselstarling\n'],
      ['Turdus merula', '\n eurasian blackbird\n amsel\n'],
      ['Troglodytes troglodytes', '\n eurasian wren\n zaunkonig\n chochin\n'],
      ['Erithacus rubecula', '\n european robin\n wrenrotkehlchen\n'],
    ]);
    const inAll = (asked: string, expected = [] as { scientificName: string; occurrence: number }[]) =>
      searchSpecies(asked, english, expected, all).map(({ commonName }) => commonName);
    expect(inAll('amsel')).toEqual(['Eurasian Blackbird', 'Blackbird Cousin']);
    expect(inAll('wren', [{ scientificName: 'Erithacus rubecula', occurrence: 1 }]).at(-1)).toBe('European Robin');
    expect(inAll('zaunkonig chochin')).toEqual([]);
  });
});
