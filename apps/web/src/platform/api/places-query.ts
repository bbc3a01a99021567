import { queryOptions } from '@tanstack/react-query';
import type { useOpenHttp } from './open-http.ts';

/** Shorter queries match too many names. */
export const SHORTEST_PLACE_QUERY = 2;

/** Places whose names begin with the query; results are cached for the visit. */
export const placesQuery = (openHttp: ReturnType<typeof useOpenHttp>, query: string) =>
  queryOptions({
    queryKey: ['places', query],
    async queryFn({ signal }) {
      const [http, { findPlaces }] = await Promise.all([openHttp(), import('./find-places.ts')]);
      return findPlaces(http, query, signal);
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
