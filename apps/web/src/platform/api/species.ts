import {
  type RangePeriod,
  speciesPictureSchema,
  speciesProfileSchema,
  speciesRangeSchema,
  speciesSeasonSchema,
  toSeasonDegrees,
} from '@chiffchaff/contract';
import { queryOptions } from '@tanstack/react-query';
import type { z } from 'zod';
import { readPublic } from './read-public.ts';

/** Where to look up a season: a place, or the time zone of the device. */
export type SeasonPlace = { readonly latitude: number; readonly longitude: number } | { readonly timeZone: string };

/** Half an hour: people who look at other birds and return, even offline, find the page as it was. */
const KEPT_MS = 1_800_000;

function speciesQuery<Value>(address: string, schema: z.ZodType<Value>) {
  return queryOptions({
    queryKey: ['species page', address],
    queryFn: ({ signal }) => readPublic(address, schema, signal),
    staleTime: KEPT_MS,
    gcTime: KEPT_MS,
  });
}

const addressOf = (apiOrigin: string, name: string, rest: string): string =>
  `${apiOrigin}/v1/species/${encodeURIComponent(name)}${rest}`;

/** null: the model does not know this species. */
export const speciesProfileQuery = (apiOrigin: string, name: string, language: string | null) =>
  speciesQuery(addressOf(apiOrigin, name, language === null ? '' : `?language=${language}`), speciesProfileSchema);

/** null: its range is not known. */
export const speciesRangeQuery = (apiOrigin: string, name: string, period: RangePeriod) =>
  speciesQuery(addressOf(apiOrigin, name, `/range?period=${period}`), speciesRangeSchema);

/** null: no picture of it exists. While the server is fetching one, the request fails and is retried. */
export const speciesPictureQuery = (apiOrigin: string, name: string) => ({
  ...speciesQuery(addressOf(apiOrigin, name, '/picture'), speciesPictureSchema),
  retry: 2,
  retryDelay: 5000,
});

/** Coordinates are rounded before they leave this device. null: nothing is known of this place. */
export const speciesSeasonQuery = (apiOrigin: string, name: string, where: SeasonPlace) => {
  const query =
    'timeZone' in where
      ? { timeZone: where.timeZone }
      : {
          latitude: String(toSeasonDegrees(where.latitude)),
          longitude: String(toSeasonDegrees(where.longitude)),
        };
  return speciesQuery(addressOf(apiOrigin, name, `/season?${new URLSearchParams(query)}`), speciesSeasonSchema);
};
