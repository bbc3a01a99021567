import { skipToken, useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { PredictionRequest } from './sending/request-prediction.ts';

type Coordinates = NonNullable<PredictionRequest['place']>;
type NamedPlace = Coordinates & { readonly name: string };

interface Places {
  readonly last: Coordinates | null;
  readonly named: readonly NamedPlace[];
}

const queryKey = ['visit', 'places'];
const nothing: Places = { last: null, named: [] };
const isSame = (one: Coordinates, other: Coordinates | null) =>
  one.latitude === other?.latitude && one.longitude === other.longitude;

/** Places that were given during this visit, with their names, which the server is not told. In memory only; they go with the session. */
export function useVisitPlaces() {
  const queries = useQueryClient();
  const { data: places = nothing } = useQuery<Places>({ queryKey, queryFn: skipToken, gcTime: Number.POSITIVE_INFINITY });
  return useMemo(
    () => ({
      last: places.last,
      nameOf: (place: Coordinates | null): string => places.named.find((named) => isSame(named, place))?.name ?? '',
      /** @param name as it was chosen; empty when coordinates were given */
      remember: (last: Coordinates | null, name: string) =>
        queries.setQueryData<Places>(queryKey, ({ named } = nothing) => ({
          last,
          named: last && name !== '' ? [{ ...last, name }, ...named.filter((one) => !isSame(one, last))] : named,
        })),
    }),
    [queries, places],
  );
}
