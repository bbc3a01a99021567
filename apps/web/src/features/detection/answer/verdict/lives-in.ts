import type { Candidate, Conditions } from '@chiffchaff/contract';
import type { TFunction } from 'i18next';
import { regionNames } from '../../../../platform/format/region-names.ts';

/**
 * The regions that have to be said with a bird's name, in the language of the interface: where no place was told, or only assumed and the
 * bird lives elsewhere.
 *
 * @returns null where the place speaks for itself, and where it is not known where the bird lives
 */
export function livesIn(
  { regions = [], assumed }: Candidate,
  { latitude, placeSource }: Conditions,
  t: TFunction,
  language: string,
): string | null {
  const isPlaceKnown = placeSource === 'assumed' ? assumed !== 'elsewhere' : latitude !== null;
  if (isPlaceKnown || regions.length === 0) return null;
  return regionNames(regions, t, language);
}
