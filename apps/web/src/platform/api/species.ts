import {
  type RangePeriod,
  speciesAroundSchema,
  speciesPictureSchema,
  speciesProfileSchema,
  speciesRangeSchema,
  speciesSeasonSchema,
  speciesSongSchema,
  toSeasonDegrees,
} from '@chiffchaff/contract';
import { useNamesLanguage } from '../format/species-language.ts';
import { usePublicConfig } from './public-config.ts';
import { usePublic } from './read-public.ts';

/** Where to look up a season: a place, or the time zone of the device. */
export type SeasonPlace = { readonly latitude: number; readonly longitude: number } | { readonly timeZone: string };

const pathOf = (name: string, rest: string): string => `/v1/species/${encodeURIComponent(name)}${rest}`;

/** The profile of a bird by any of its scientific names, with common names in the user's language; null: the model does not know it. */
export function useSpeciesProfile(name: string) {
  const language = useNamesLanguage();
  return usePublic(pathOf(name, language === null ? '' : `?language=${language}`), speciesProfileSchema);
}

/** A bird's common name; the scientific one until it has loaded, and if the model does not know the bird. */
export function useSpeciesName(scientificName: string): string {
  return useSpeciesProfile(scientificName).data?.commonName ?? scientificName;
}

/** null: its range is not known. */
export const useSpeciesRange = (name: string, period: RangePeriod) =>
  usePublic(pathOf(name, `/range?period=${period}`), speciesRangeSchema);

/** While the server is fetching a file, the request fails and is retried. */
const FETCHED = { retry: 2, retryDelay: 5000 };

/** null: no picture of it exists. */
export const useSpeciesPicture = (name: string, enabled: boolean) =>
  usePublic(pathOf(name, '/picture'), speciesPictureSchema, { enabled, ...FETCHED });

/** A song with the address of its sound; null: none exists, or the operator wants none; undefined until the server has said it. */
export function useSpeciesSong(name: string) {
  const { data: config } = usePublicConfig();
  const { data: song, isError } = usePublic(pathOf(name, '/song'), speciesSongSchema, {
    enabled: config?.speciesPictures,
    ...FETCHED,
  });
  if (config?.speciesPictures === false || isError) return null;
  return song && { ...song, url: (config?.apiOrigin ?? '') + song.path };
}

/** null: nothing is known of this place. */
export const useSpeciesSeason = (name: string, where: SeasonPlace | null) =>
  usePublic(pathOf(name, `/season?${new URLSearchParams(roundedPlace(where))}`), speciesSeasonSchema, {
    enabled: where !== null,
  });

/** The birds around a place in a week, 1 to 48. null: nothing is known of this place. */
export function useSpeciesAround(where: SeasonPlace | null, week: number) {
  const language = useNamesLanguage();
  const query = { ...roundedPlace(where), week: String(week), ...(language && { language }) };
  return usePublic(`/v1/species/around?${new URLSearchParams(query)}`, speciesAroundSchema, { enabled: where !== null });
}

/** Coordinates are rounded before they leave this device. */
const roundedPlace = (where: SeasonPlace | null): { readonly [field: string]: string } =>
  where === null || 'timeZone' in where
    ? { ...where }
    : { latitude: String(toSeasonDegrees(where.latitude)), longitude: String(toSeasonDegrees(where.longitude)) };
