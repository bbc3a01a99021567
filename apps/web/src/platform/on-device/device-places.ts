import type { AssumedPlace, PlaceKnowledge } from '@chiffchaff/analysis/answer';
import type { OnDeviceModel } from '@chiffchaff/contract';
import { occurrenceFromByte, type PlaceAndWeek } from '@chiffchaff/recognizer';
import { openCache } from '../storage/registry.ts';
import { askServer } from './ask-server.ts';

const MOST_PLACES = 10;
const REGIONS = '/v1/on-device/regions';
const ZONES = '/v1/on-device/zones';

/** Rounded, so that the server does not learn the exact place. */
const toTenth = (degrees: number): string => String(Math.round(degrees * 10) / 10);

/**
 * Knowledge about places: from the cache, else from the server. The cache holds the last ten places, and all time zones.
 *
 * Its functions throw TypeError when the server is out of reach and nothing is cached.
 */
export function openDevicePlaces({ id, version }: Pick<OnDeviceModel, 'id' | 'version'>): PlaceKnowledge {
  /** Fetches a path once, then reads it from the cache. */
  const lookUp = async (path: string): Promise<Response | null> => {
    const cache = await openCache('on-device-places').catch(() => null);
    const key = `/on-device/places${path}/${id}-${version}`;
    const kept = await cache?.match(key);
    const found = kept ?? (await askServer(path));
    if (!found || !cache) return found;
    // Stored again on each use: keys are in insertion order, so the first ones are the least recently used.
    await cache.delete(key);
    await cache.put(key, found.clone()).catch(() => undefined);
    return found;
  };
  const occurrences = async (query: URLSearchParams): Promise<Float32Array | null> => {
    const found = await lookUp(`/v1/occurrences?${query}`);
    return found && Float32Array.from(new Uint8Array(await found.arrayBuffer()), occurrenceFromByte);
  };
  const forgetOldest = async (): Promise<void> => {
    const cache = await openCache('on-device-places');
    const places = (await cache.keys()).filter(({ url }) => new URL(url).searchParams.has('latitude'));
    for (const place of places.slice(0, -MOST_PLACES)) await cache.delete(place);
  };

  return {
    async occurrenceAt({ latitude, longitude, week }: PlaceAndWeek) {
      const place = { latitude: toTenth(latitude), longitude: toTenth(longitude) };
      const found = await occurrences(new URLSearchParams({ ...place, ...(week === null ? {} : { week: String(week) }) }));
      await forgetOldest().catch(() => undefined);
      return found;
    },
    async assume(timeZone: string): Promise<AssumedPlace | null> {
      // Time zones such as UTC belong to no place.
      if (!/^(?!Etc\/)\w+\//.test(timeZone)) return null;
      const occurrence = await occurrences(new URLSearchParams({ timeZone }));
      return occurrence && { timeZone, occurrence };
    },
    zones: async () => {
      const found = await lookUp(ZONES);
      return found && new Uint8Array(await found.arrayBuffer());
    },
    regions: async () => (await (await lookUp(REGIONS))?.text()) ?? null,
  };
}
