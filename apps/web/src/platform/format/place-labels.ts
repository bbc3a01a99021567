import type { Place } from '@chiffchaff/contract';

/**
 * One label per place; coordinates are added where two would be the same. Region names exist in English only, so other languages show them
 * only where the country alone does not tell places apart.
 */
export function labelPlaces(places: readonly Place[], language: string): ReadonlyMap<string, Place> {
  const countries = new Intl.DisplayNames(language, { type: 'region', fallback: 'code' });
  const write = ({ name, region, countryCode }: Place, withRegion: boolean) =>
    [name, ...(withRegion && region !== null && region !== name ? [region] : []), countries.of(countryCode) ?? countryCode].join(
      ', ',
    );
  const shorts = Map.groupBy(places, (place) => write(place, false));
  const plain = (place: Place) => {
    const short = write(place, false);
    return write(place, language.startsWith('en') || (shorts.get(short)?.length ?? 0) > 1);
  };
  const counts = Map.groupBy(places, plain);
  return new Map(
    places.map((place) => {
      const label = plain(place);
      const exact = `${label} (${place.latitude.toFixed(2)}, ${place.longitude.toFixed(2)})`;
      return [(counts.get(label)?.length ?? 0) > 1 ? exact : label, place];
    }),
  );
}
