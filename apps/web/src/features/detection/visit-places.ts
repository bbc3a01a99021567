import type { Conditions } from '@chiffchaff/contract';
import { skipToken, useQuery, useQueryClient } from '@tanstack/react-query';
import { type Translate, useTranslation } from '../../languages/i18n.ts';
import { usePublicConfig } from '../../platform/api/public-config.ts';
import { formatDegrees } from '../../platform/format/format.ts';
import { cityOf } from '../../platform/format/time-zone.ts';
import { type Coordinates, coordinatesOf } from '../../platform/sending/requested-conditions.ts';
import { useAuthSession } from '../../platform/session/session-context.tsx';
import { type DevicePlace, devicePlaceOf, keepDevicePlace } from '../../platform/storage/device-place.ts';

type NamedPlace = Coordinates & { readonly name: string };

const queryKey = ['visit', 'places'];
/** Of the query for the town of a place, which comes with a stored result. */
export const townKey = (place: Coordinates | null) => ['visit', 'town', place?.latitude, place?.longitude];
const isSame = (one: Coordinates, other: Coordinates | null) =>
  one.latitude === other?.latitude && one.longitude === other.longitude;

/** Places stated during this visit, with their names, which the server never receives: all in memory, the last one also on the device. */
export function useVisitPlaces() {
  const queries = useQueryClient();
  const session = useAuthSession();
  const { data: named = [] } = useQuery<readonly NamedPlace[]>({
    queryKey,
    queryFn: skipToken,
    gcTime: Number.POSITIVE_INFINITY,
  });
  const owner = () => session.snapshot().state.localId;
  const operators = usePublicConfig().data?.defaultPlace;
  const last = (): DevicePlace | null => devicePlaceOf(owner());
  const nameOf = (place: Coordinates | null): string => {
    const kept = last();
    const known = [...named, ...(kept?.kind === 'place' ? [kept] : []), ...(operators ? [operators] : [])];
    return known.find((one) => one.name !== '' && isSame(one, place))?.name ?? '';
  };
  return {
    last,
    /** Where recordings are from unless they say otherwise: the place last chosen on this device, else the operator's. */
    usual: () => last() ?? (operators ? { kind: 'place' as const, ...operators } : null),
    nameOf,
    /** Remembers the name of a place; typed coordinates may be a known one's. @param isForNext whether the next recordings are from there, too */
    remember(given: DevicePlace, isForNext = true) {
      const chosen = given.kind === 'place' ? { ...given, name: given.name || nameOf(given) } : given;
      if (isForNext) keepDevicePlace(chosen, owner());
      if (chosen.kind !== 'place' || chosen.name === '') return;
      const { latitude, longitude, name } = chosen;
      const place = { latitude, longitude, name };
      queries.setQueryData<readonly NamedPlace[]>(queryKey, (before = []) => [
        place,
        ...before.filter((one) => !isSame(one, place)),
      ]);
    },
  };
}

/** `near Cambridge`, `assumed: around London, from your clock`. @param name under which the place was chosen; empty if it has none */
export function placeInWords(
  place: Coordinates | null,
  name: string,
  timeZone: string | null,
  t: Translate,
  language: string,
): string {
  if (place) return t('place.near', { place: name.split(', ')[0] || formatDegrees(place, language, 2) });
  return timeZone === null ? t('place.unknown') : t('place.assumed', { city: cityOf(timeZone, t) });
}

/** The place that a prediction assumes for its recording: the name given during this visit, the coordinates; and in words, by its town if it has no name. */
export function useAnswerPlace(conditions: Conditions) {
  const { t, i18n } = useTranslation();
  const place = coordinatesOf(conditions);
  const name = useVisitPlaces().nameOf(place);
  const { data: town = '' } = useQuery<string>({ queryKey: townKey(place), queryFn: skipToken });
  return {
    name,
    coordinates: place && formatDegrees(place, i18n.language, 2),
    inWords: placeInWords(place, name || town, conditions.timeZone, t, i18n.language),
  };
}
