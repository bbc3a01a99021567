import { skipToken, useQuery, useQueryClient } from '@tanstack/react-query';
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
  const last = (): DevicePlace | null => devicePlaceOf(owner());
  return {
    last,
    nameOf(place: Coordinates | null): string {
      const kept = last();
      return [...named, ...(kept?.kind === 'place' ? [kept] : [])].find((one) => isSame(one, place))?.name ?? '';
    },
    /** Remembers the name of a place. @param isForNext whether the next recordings are from there, too */
    remember(chosen: DevicePlace, isForNext = true) {
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
