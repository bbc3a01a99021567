import { toSeasonDegrees } from '@chiffchaff/contract';
import { occurrenceFromByte, occurrenceToByte } from '@chiffchaff/recognizer';
import type { ModelFolder } from '@chiffchaff/recognizer/node';
import type { AskOccurrences } from '../made-file.ts';
import type { Zones } from '../zones/open-zones.ts';

/** The place of a season: coordinates, or a time zone. */
export type SeasonPlace = { readonly latitude: number; readonly longitude: number } | { readonly timeZone: string };

const WEEKS = 48;
/** 0.3 MB each; the people who use a server are in few places. */
const MOST_KEPT = 24;

interface Season {
  readonly timeZone: string | null;
  /** one row for each week, one byte for each label */
  readonly values: Uint8Array;
}

export interface SeasonsOptions {
  readonly model: ModelFolder;
  /** Half a hundred places take a hundredth of a second, which clips may wait for. */
  readonly ask: AskOccurrences;
  readonly zones: Pick<Zones, 'townsOf'>;
}

/**
 * How likely each label is in each week of the year, at a place or as the maximum over the towns of a time zone. Computes all labels of a
 * place together and caches the most recently used places.
 */
export function openSeasons({ model, ask, zones }: SeasonsOptions) {
  const labelCount = model.species.labels.length;
  const kept = new Map<string, Promise<Season>>();

  async function workOut(places: readonly { readonly latitude: number; readonly longitude: number }[]): Promise<Uint8Array> {
    const values = new Uint8Array(WEEKS * labelCount);
    for (const { latitude, longitude } of places) {
      const weeks = Array.from({ length: WEEKS }, (_, week) => ({ latitude, longitude, week: week + 1 }));
      const found = await ask(weeks);
      for (let at = 0; at < values.length; at++) values[at] = Math.max(values[at] ?? 0, occurrenceToByte(found[at] ?? 0));
    }
    return values;
  }

  async function find(where: SeasonPlace): Promise<Season | null> {
    const zone = 'timeZone' in where ? await zones.townsOf(where.timeZone) : null;
    if ('timeZone' in where && zone === null) return null;
    const places =
      'timeZone' in where
        ? (zone?.towns ?? [])
        : [{ latitude: toSeasonDegrees(where.latitude), longitude: toSeasonDegrees(where.longitude) }];
    const timeZone = zone?.timeZone ?? null;
    const key = timeZone ?? `${places[0]?.latitude} ${places[0]?.longitude}`;
    const known = kept.get(key);
    const season = known ?? workOut(places).then((values) => ({ timeZone, values }));
    // Moves the key to the end: the least recently used one is dropped first.
    kept.delete(key);
    kept.set(key, season);
    season.catch(() => kept.delete(key));
    const [oldest] = kept.keys();
    if (kept.size > MOST_KEPT && oldest !== undefined) kept.delete(oldest);
    return season;
  }

  return {
    /** @returns null for a zone without towns, or without an occurrence model */
    async read(where: SeasonPlace) {
      const season = model.manifest.occurrence === null ? null : await find(where);
      if (season === null) return null;
      const { timeZone, values } = season;
      /** How likely a label is in a week, 0 to 1. @param week 1 to 48 */
      const at = (label: number, week: number): number =>
        Number(occurrenceFromByte(values[(week - 1) * labelCount + label] ?? 0).toFixed(3));
      return { timeZone, at, weeksOf: (label: number) => Array.from({ length: WEEKS }, (_, week) => at(label, week + 1)) };
    },
  };
}
