import { queryOptions } from '@tanstack/react-query';
import type { useOpenHttp } from './open-http.ts';

/** Fewer letters begin too many names. */
export const SHORTEST_PLACE_QUERY = 2;

/** Places whose name begins so; what was found once is not asked again during a visit. */
export const placesQuery = (openHttp: ReturnType<typeof useOpenHttp>, query: string) =>
  queryOptions({
    queryKey: ['places', query],
    async queryFn({ signal }) {
      const [http, { findPlaces }] = await Promise.all([openHttp(), import('./find-places.ts')]);
      return findPlaces(http, query, signal);
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
