import {
  type Link,
  linksSchema,
  type NewLink,
  newLinkSchema,
  SHARED_ROWS,
  type SharedPrediction,
  sharedPredictionSchema,
} from '@chiffchaff/contract';
import type { AxiosInstance } from 'axios';
import { createHttpClient } from './http-client.ts';

const LINKS = '/v1/account/links';

/** Links of the account, the newest first. @throws AxiosError, ZodError */
export async function readLinks(http: AxiosInstance, signal: AbortSignal): Promise<readonly Link[]> {
  return linksSchema.parse((await http.get<unknown>(LINKS, { signal })).data).links;
}

/** Makes a link to a prediction. Its token is told this once. @throws AxiosError, ZodError */
export async function createLink(http: AxiosInstance, predictionId: string, sound: boolean): Promise<NewLink> {
  const path = `/v1/predictions/${encodeURIComponent(predictionId)}/links`;
  return newLinkSchema.parse((await http.post<unknown>(path, { sound })).data);
}

/** Ends a link for good. @returns those that are left. @throws AxiosError, ZodError */
export async function revokeLink(http: AxiosInstance, id: string): Promise<readonly Link[]> {
  return linksSchema.parse((await http.delete<unknown>(`${LINKS}/${encodeURIComponent(id)}`)).data).links;
}

/** Under what the links of an account are kept. */
export const linksKey = (localId: string | null) => ['account', localId, LINKS] as const;

/** Where a link leads. */
export const addressOf = (token: string): string => `${window.location.origin}/shared/${token}`;

const pathOf = (token: string): string => `/v1/shared/${encodeURIComponent(token)}`;

/**
 * What a link shows, asked without anything of a session: visitors have none, and an owner's is nobody's business there.
 *
 * @throws AxiosError, ZodError
 */
export async function readShared(
  apiOrigin: string,
  token: string,
  language: string | null,
  signal: AbortSignal,
): Promise<SharedPrediction> {
  const params = language === null ? {} : { language };
  return sharedPredictionSchema.parse((await createHttpClient(apiOrigin).get<unknown>(pathOf(token), { params, signal })).data);
}

/** The sound of a bird of a link, for an element of the page. */
export const sharedSoundUrl = (apiOrigin: string, token: string, scientificName: string): string =>
  `${apiOrigin}${pathOf(token)}/sound/${encodeURIComponent(scientificName)}`;

/** What that sound looks like: levels, `SHARED_ROWS` a column. @throws AxiosError */
export async function readSharedLevels(
  apiOrigin: string,
  token: string,
  scientificName: string,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const path = `${pathOf(token)}/spectrogram/${encodeURIComponent(scientificName)}`;
  const options = { responseType: 'arraybuffer', signal } as const;
  const levels = new Uint8Array((await createHttpClient(apiOrigin).get<ArrayBuffer>(path, options)).data);
  return levels.subarray(0, levels.length - (levels.length % SHARED_ROWS));
}
