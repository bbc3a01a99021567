import { skipToken, useQuery, useQueryClient } from '@tanstack/react-query';
import { usePublicConfig } from '../../platform/api/public-config.ts';
import type { Coordinates } from '../../platform/sending/requested-conditions.ts';
import { useAuthSession } from '../../platform/session/session-context.tsx';
import { type DevicePlace, devicePlaceOf, keepDevicePlace } from '../../platform/storage/device-place.ts';

type NamedPlace = Coordinates & { readonly name: string };

const queryKey = ['visit', 'places'];
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
