import { type Places, placesSchema } from '@chiffchaff/contract';
import type { AxiosInstance } from 'axios';

/** `GET /v1/places?q=`: place names known to the server, best match first. @throws AxiosError, ZodError */
export async function findPlaces(http: AxiosInstance, query: string, signal: AbortSignal): Promise<Places> {
  const { data } = await http.get<unknown>('/v1/places', { params: { q: query }, signal });
  return placesSchema.parse(data);
}
