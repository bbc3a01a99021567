import { occurrenceFromByte } from '@chiffchaff/recognizer';
import { describe, expect, it } from 'vitest';
import { chooseRegions, readAreas } from './regions.ts';
import { sampleTowns, type Town } from './sample-towns.ts';
import { makeZoneTable } from './zone-table.ts';

const line = (zone: string, population: number, latitude = 0, country = 'GB'): string =>
  ['1', 'Town', 'Town', '', latitude, 0, 'P', 'PPL', country, '', '', '', '', '', population, '', '', zone, ''].join('\t');

const town = (countryCode: string, latitude: number, longitude = 0): Town => ({ countryCode, latitude, longitude });

describe('The towns chosen for a time zone', () => {
  const lines = Array.from({ length: 400 }, (_, n) => line(n % 2 === 0 ? 'Europe/London' : 'Europe/Oslo', n * 10, n / 10));

  it('are the eight largest and sixteen others, the same ones each time', async () => {
    const towns = await sampleTowns(lines);
    expect([...towns.keys()].toSorted()).toEqual(['Europe/London', 'Europe/Oslo']);
    const latitudes = (towns.get('Europe/London') ?? []).map(({ latitude }) => latitude);
    expect(latitudes.slice(0, 8)).toEqual([39.8, 39.6, 39.4, 39.2, 39, 38.8, 38.6, 38.4]);
    expect(new Set(latitudes).size).toBe(24);
    expect(Math.min(...latitudes)).toBeLessThan(10);
    expect(await sampleTowns(lines)).toEqual(towns);
  });

  it('are, besides the largest, a random choice from all other towns of the time zone', async () => {
    const random = async (zone: string) =>
      ((await sampleTowns(lines.map((each) => each.replace(/Europe\/\w+/, zone)))).get(zone) ?? [])
        .slice(8)
        .map(({ latitude }) => latitude);
    const means = await Promise.all(
      Array.from({ length: 60 }, async (_, n) => (await random(`Zone/${n}`)).reduce((sum, latitude) => sum + latitude, 0) / 16),
    );
    const mean = means.reduce((sum, each) => sum + each, 0) / means.length;
    expect(mean).toBeGreaterThan(17.5);
    expect(mean).toBeLessThan(21.5);
  });

  it('are all towns of a small time zone; an incomplete line in the list of towns is left out', async () => {
    const towns = await sampleTowns([line('Asia/Dili', 5), line('', 5), line('Asia/Dili', 7).slice(0, 20), '']);
    expect(towns).toEqual(new Map([['Asia/Dili', [town('GB', 0)]]]));
  });
});

describe('The regions where a species lives', () => {
  const areas = readAreas();
  const regionsOf = (range: Record<string, number>) => chooseRegions(new Map(Object.entries(range)), areas);

  it('are given as countries if there are few of them', () => {
    expect(regionsOf({ NZ: 20 })).toEqual(['NZ']);
    expect(regionsOf({ CA: 40, US: 50, MX: 12, CU: 2 })).toEqual(['US', 'CA', 'MX']);
  });

  it('are given as parts of continents, then as continents, if there are many countries', () => {
    expect(regionsOf({ ZA: 30, NA: 15, BW: 15, LS: 10, AO: 10 })).toEqual(['018']);
    expect(regionsOf({ DE: 10, FR: 10, PL: 10, ES: 10, GB: 10, TR: 10, MA: 3 })).toEqual(['150', '142', '002']);
    expect(regionsOf({ DE: 30, CN: 25, MA: 20, AU: 20, US: 4, CA: 1, BR: 2 })).toEqual(['150', '142', '002', '009', '019']);
    expect(regionsOf({ DE: 30, CN: 25, MA: 20, AU: 23, US: 2 })).toEqual(['150', '142', '009', '002']);
    expect(regionsOf({})).toEqual([]);
  });

  it('each have a name in every language of the page', () => {
    const codes = new Set([...areas].flatMap(([country, { part, continent }]) => [country, part, continent]));
    expect(codes.size).toBeGreaterThan(260);
    for (const language of ['en', 'de']) {
      const names = new Intl.DisplayNames([language], { type: 'region', fallback: 'none' });
      // Territories that CLDR lists for other programs: the Canary Islands and Ceuta apart from Spain, Sark apart from Guernsey.
      expect([...codes].filter((code) => names.of(code) === undefined && code !== 'CQ')).toEqual([]);
    }
  });
});

it('The table of time zones holds the highest occurrence in each zone, and the regions of every label', async () => {
  const towns = new Map([
    ['Europe/London', [town('GB', 51), town('GB', 57)]],
    ['Africa/Lagos', [town('NG', 6)]],
  ]);
  const asked: number[] = [];
  const table = await makeZoneTable(towns, 3, readAreas(), async (ofZone) => {
    asked.push(ofZone.length);
    return Float32Array.from(ofZone.flatMap(({ latitude }) => (latitude > 50 ? [latitude / 100, 0.01, 0] : [0, 0.02, 0])));
  });
  expect(asked).toEqual([1, 2]);
  expect(table.zones).toEqual(['Africa/Lagos', 'Europe/London']);
  const values = [...table.values].map(occurrenceFromByte);
  for (const [index, expected] of [0, 0.02, 0, 0.57, 0.01, 0].entries())
    expect(Math.abs((values[index] ?? 1) - expected)).toBeLessThanOrEqual(0.02 * expected);
  // A species that is common nowhere lives where it is likeliest; one that occurs nowhere has no region.
  expect(table.regions.split('\n')).toEqual(['GB', 'NG', '']);
});
