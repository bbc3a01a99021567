import { type Prediction, predictionSchema } from '@chiffchaff/contract';
import type { AxiosInstance } from 'axios';

/** What a person asks: a recording, and what they know of its place and date. */
export interface PredictionRequest {
  readonly file: File;
  /** degrees; both or none */
  readonly place: { readonly latitude: number; readonly longitude: number } | null;
  /** ISO date, `2026-05-01` */
  readonly date: string | null;
  /** Language of species names, as the server names it. */
  readonly language: string | null;
}

export interface RequestOptions {
  readonly signal: AbortSignal;
  /** Part of the request's body that has been sent, 0–1. */
  readonly onUploadProgress: (progress: number) => void;
}

/** Fields come before the file, so that the server knows them while the recording is still arriving. */
function formOf({ file, place, date, language }: PredictionRequest): FormData {
  const form = new FormData();
  if (place) {
    form.append('latitude', String(place.latitude));
    form.append('longitude', String(place.longitude));
  }
  if (date !== null) form.append('date', date);
  if (language !== null) form.append('language', language);
  form.append('file', file, file.name);
  return form;
}

/**
 * `POST /get_prediction`: sends one recording and resolves with the prediction. The browser sets the multipart content type.
 *
 * @throws AxiosError for any answer but 200, and when the signal aborts; ZodError when the answer is no prediction
 */
export async function requestPrediction(
  http: AxiosInstance,
  request: PredictionRequest,
  { signal, onUploadProgress }: RequestOptions,
): Promise<Prediction> {
  const { data } = await http.post<unknown>('/get_prediction', formOf(request), {
    signal,
    onUploadProgress: ({ loaded, total }) => {
      if (total) onUploadProgress(Math.min(1, loaded / total));
    },
  });
  return predictionSchema.parse(data);
}
