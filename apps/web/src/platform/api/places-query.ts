import { queryOptions } from '@tanstack/react-query';
import type { OpenHttp } from '../session/page-session.ts';

/** Shorter queries match too many names. */
export const SHORTEST_PLACE_QUERY = 2;

/** Places whose names begin with the query; results are cached for the visit. */
export const placesQuery = (openHttp: OpenHttp, query: string) =>
  queryOptions({
    queryKey: ['places', query],
    async queryFn({ signal }) {
      const [http, { placesSchema }] = await Promise.all([openHttp(), import('@chiffchaff/contract')]);
      return placesSchema.parse((await http.get<unknown>('/v1/places', { params: { q: query }, signal })).data);
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
