import type { Candidate, Conditions } from '@chiffchaff/contract';
import type { TFunction } from 'i18next';
import { regionNames } from '../../../../platform/format/region-names.ts';

/**
 * The regions to show with a bird's name, in the interface's language: if no place was stated, or one was assumed where the bird does not
 * live.
 *
 * @returns null if the place makes them unnecessary, or they are not known
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
