import type { PredictionSummary } from '@chiffchaff/contract';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { useOpenHttp } from '../../platform/api/open-http.ts';
import { usePublicConfig } from '../../platform/api/public-config.ts';
import { readHeardSpecies, readPredictions, type Wanted } from '../../platform/api/stored-predictions.ts';
import { storedPredictionsKey } from '../../platform/api/use-stored-predictions.ts';
import { useIsOnline } from '../../platform/browser/connection.ts';
import { serverLanguage } from '../../platform/format/species-language.ts';
import { useAuthSnapshot } from '../../platform/session/session-context.tsx';
import { usePreferences } from '../../platform/storage/preferences.ts';
import { isOutOfReach, listKeptAnswers } from '../../platform/storage/read-kept-answers.ts';

/** The language in which this person reads names of birds, as the server names it; null when it has none of theirs. */
export function useNamesLanguage(): string | null {
  const { i18n } = useTranslation();
  const { speciesLanguage } = usePreferences();
  const { data: config } = usePublicConfig();
  return serverLanguage(speciesLanguage ?? i18n.language, config?.languages ?? []);
}

/** Answers, the newest first, page by page. While others are looked for, those of before stay. */
export function useHistory({ search, language }: Wanted) {
  const openHttp = useOpenHttp();
  const { localId } = useAuthSnapshot().state;
  return useInfiniteQuery({
    queryKey: storedPredictionsKey(localId, 'list', search, language),
    queryFn: async ({ pageParam, signal }) => readPredictions(await openHttp(), { search, language }, pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ cursor }) => cursor,
    placeholderData: (earlier, earlierQuery) => (earlierQuery?.queryKey[1] === localId ? earlier : undefined),
  });
}

/** What this tab has kept of the answers, while the server is out of reach; null while it can be reached. @param failure of the last call */
export function useKeptAnswers(search: string, failure: unknown): readonly PredictionSummary[] | null {
  const isOnline = useIsOnline();
  const { localId } = useAuthSnapshot().state;
  const isAway = localId !== null && (!isOnline || (failure !== null && isOutOfReach(failure)));
  return useMemo(() => (isAway ? (listKeptAnswers(localId, search)?.predictions ?? []) : null), [isAway, localId, search]);
}

export function useHeardSpecies(language: string | null) {
  const openHttp = useOpenHttp();
  const { localId } = useAuthSnapshot().state;
  return useQuery({
    queryKey: storedPredictionsKey(localId, 'species', language),
    queryFn: async ({ signal }) => readHeardSpecies(await openHttp(), language, signal),
  });
}
