import {
  type CreatedLink,
  createdLinkSchema,
  type Link,
  linksSchema,
  SHARED_ROWS,
  type SharedPrediction,
  sharedPredictionSchema,
} from '@chiffchaff/contract';
import type { AxiosInstance } from 'axios';
import { createHttpClient } from './http-client.ts';

const LINKS = '/v1/account/links';

/** The account's links, newest first. @throws AxiosError, ZodError */
export async function readLinks(http: AxiosInstance, signal: AbortSignal): Promise<readonly Link[]> {
  return linksSchema.parse((await http.get<unknown>(LINKS, { signal })).data).links;
}

/** Creates a link to a prediction. Only this response contains its token. @throws AxiosError, ZodError */
export async function createLink(http: AxiosInstance, predictionId: string, sound: boolean): Promise<CreatedLink> {
  const path = `/v1/predictions/${encodeURIComponent(predictionId)}/links`;
  return createdLinkSchema.parse((await http.post<unknown>(path, { sound })).data);
}

/** Revokes a link for good. @returns the remaining links. @throws AxiosError, ZodError */
export async function revokeLink(http: AxiosInstance, id: string): Promise<readonly Link[]> {
  return linksSchema.parse((await http.delete<unknown>(`${LINKS}/${encodeURIComponent(id)}`)).data).links;
}

/** Query key of the account's links. */
export const linksKey = (localId: string | null) => ['account', localId, LINKS] as const;

/** The address that a link opens. */
export const addressOf = (token: string): string => `${window.location.origin}/shared/${token}`;

const pathOf = (token: string): string => `/v1/shared/${encodeURIComponent(token)}`;

/**
 * What a link shows. The request carries no token: visitors have none, and the server need not learn which account looks at it.
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

/** Address of the audio of one species of a link, for an element of the page. */
export const sharedSoundUrl = (apiOrigin: string, token: string, scientificName: string): string =>
  `${apiOrigin}${pathOf(token)}/sound/${encodeURIComponent(scientificName)}`;

/** The spectrogram of this audio: levels, `SHARED_ROWS` per column. @throws AxiosError */
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
