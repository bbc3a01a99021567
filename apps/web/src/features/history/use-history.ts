import type { PredictionList } from '@chiffchaff/contract';
import { type InfiniteData, useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useAuthSnapshot } from '../../platform/auth-session/session-context.tsx';
import { usePreferences } from '../../platform/preferences.ts';
import { usePublicConfig } from '../../platform/public-config.ts';
import { isOutOfReach, listKeptAnswers } from '../../platform/read-kept-answers.ts';
import { serverLanguage } from '../../platform/species-language.ts';
import { readHeardSpecies, readPredictions, type Wanted } from '../../platform/stored-predictions.ts';
import { useHttpClient } from '../../platform/use-http-client.ts';
import { storedPredictionsKey } from '../../platform/use-stored-predictions.ts';

/** The language in which this person reads names of birds, as the server names it; null when it has none of theirs. */
export function useNamesLanguage(): string | null {
  const { i18n } = useTranslation();
  const { speciesLanguage } = usePreferences();
  const { data: config } = usePublicConfig();
  return serverLanguage(speciesLanguage ?? i18n.language, config?.languages ?? []);
}

/** Answers, the newest first, page by page. While others are looked for, those of before stay. */
export function useHistory({ search, language }: Wanted) {
  const http = useHttpClient();
  const queries = useQueryClient();
  const { localId } = useAuthSnapshot().state;
  return useInfiniteQuery({
    queryKey: storedPredictionsKey(localId, 'list', search, language),
    async queryFn({ queryKey, pageParam, signal }) {
      try {
        return await readPredictions(http, { search, language }, pageParam, signal);
      } catch (failure) {
        const kept = localId !== null && search === '' && isOutOfReach(failure) ? listKeptAnswers(localId) : null;
        if (kept && !signal.aborted)
          queries.setQueryData<InfiniteData<PredictionList, string | null>>(
            queryKey,
            (present) => present ?? { pages: [kept], pageParams: [null] },
          );
        throw failure; // shown, and asked again when the connection is back
      }
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ cursor }) => cursor,
    placeholderData: (earlier, earlierQuery) => (earlierQuery?.queryKey[1] === localId ? earlier : undefined),
  });
}

export function useHeardSpecies(language: string | null) {
  const http = useHttpClient();
  const { localId } = useAuthSnapshot().state;
  return useQuery({
    queryKey: storedPredictionsKey(localId, 'species', language),
    queryFn: ({ signal }) => readHeardSpecies(http, language, signal),
  });
}
