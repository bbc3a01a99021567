import { createdLinkSchema, linksSchema, SHARED_ROWS, sharedPredictionSchema } from '@chiffchaff/contract';
import { useQueryClient } from '@tanstack/react-query';
import type { AxiosInstance } from 'axios';
import { useAuthSnapshot } from '../session/session-context.tsx';
import { ask, askBytes } from './ask.ts';
import { createHttpClient } from './http-client.ts';
import { useCall } from './use-call.ts';
import { useRecord } from './use-record.ts';

const LINKS = '/v1/account/links';

/** The account's links, newest first, and how to revoke one for good. */
export function useLinks(onRevoked: (id: string) => unknown = () => {}) {
  const { localId } = useAuthSnapshot().state;
  const queries = useQueryClient();
  const { data, failure } = useRecord('account', LINKS, linksSchema);
  const queryKey = ['account', localId, LINKS];
  const revokeOne = (http: AxiosInstance, id: string) =>
    ask(http, linksSchema, { method: 'DELETE', url: `${LINKS}/${encodeURIComponent(id)}` });
  const revoke = useCall(revokeOne, {
    onSuccess(left, id) {
      queries.setQueriesData({ queryKey }, left);
      onRevoked(id);
    },
  });
  return { links: data?.links, failure, revoke, refresh: () => queries.invalidateQueries({ queryKey }) };
}

/** Creates a link to a prediction. Only this response contains its token. @throws AxiosError, ZodError */
export function createLink(http: AxiosInstance, predictionId: string, sound: boolean) {
  const url = `/v1/predictions/${encodeURIComponent(predictionId)}/links`;
  return ask(http, createdLinkSchema, { method: 'POST', url, data: { sound } });
}

/** The address that a link opens. */
export const addressOf = (token: string): string => `${window.location.origin}/shared/${token}`;

const pathOf = (token: string): string => `/v1/shared/${encodeURIComponent(token)}`;

/**
 * What a link shows. The request carries no token: visitors have none, and the server need not learn which account looks at it.
 *
 * @throws AxiosError, ZodError
 */
export function readShared(apiOrigin: string, token: string, language: string | null, signal: AbortSignal) {
  return ask(createHttpClient(apiOrigin), sharedPredictionSchema, { url: pathOf(token), params: { language }, signal });
}

/** Address of the audio of one species of a link, for an element of the page. */
export const sharedSoundUrl = (apiOrigin: string, token: string, scientificName: string): string =>
  `${apiOrigin}${pathOf(token)}/sound/${encodeURIComponent(scientificName)}`;

/** The spectrogram of this audio: levels, `SHARED_ROWS` per column. @throws AxiosError */
export async function readSharedLevels(apiOrigin: string, token: string, scientificName: string, signal: AbortSignal) {
  const url = `${pathOf(token)}/spectrogram/${encodeURIComponent(scientificName)}`;
  const levels = await askBytes(createHttpClient(apiOrigin), { url, signal });
  return levels.subarray(0, levels.length - (levels.length % SHARED_ROWS));
}
