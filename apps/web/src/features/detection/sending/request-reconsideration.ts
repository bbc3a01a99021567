import { type Prediction, predictionSchema, type ReconsiderationBody } from '@chiffchaff/contract';
import type { AxiosInstance } from 'axios';
import { type ApiError, toApiError } from '../../../platform/api/api-error.ts';

/** `POST /v1/predictions/:id/conditions`: the answer for the same recording under other conditions, or why there is none. Never rejects. */
export async function requestReconsideration(
  http: AxiosInstance,
  id: string,
  body: ReconsiderationBody,
  signal: AbortSignal,
): Promise<Prediction | ApiError> {
  try {
    const { data } = await http.post<unknown>(`/v1/predictions/${encodeURIComponent(id)}/conditions`, body, { signal });
    return predictionSchema.parse(data);
  } catch (error) {
    return toApiError(error);
  }
}
