import { type Prediction, predictionSchema } from '@chiffchaff/contract';
import type { AxiosInstance } from 'axios';
import type { PredictionRequest, SendOptions } from './prediction-request.ts';

export interface RequestOptions extends Pick<SendOptions, 'key' | 'signal' | 'onUploadProgress'> {
  /** Ask for sound and pictures that this browser can play and hold. */
  readonly listeningCopy: boolean;
}

/** Fields come before the file, so that the server knows them while the recording is still arriving. */
function formOf({ file, place, date, language, keepAudio }: PredictionRequest, listeningCopy: boolean): FormData {
  const form = new FormData();
  if (place) {
    form.append('latitude', String(place.latitude));
    form.append('longitude', String(place.longitude));
  }
  if (date !== null) form.append('date', date);
  if (language !== null) form.append('language', language);
  if (keepAudio !== null) form.append('keepAudio', keepAudio);
  if (listeningCopy) form.append('listeningCopy', 'true');
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
  { key, signal, listeningCopy, onUploadProgress }: RequestOptions,
): Promise<Prediction> {
  const { data } = await http.post<unknown>('/get_prediction', formOf(request, listeningCopy), {
    signal,
    headers: { 'Idempotency-Key': key },
    onUploadProgress: ({ loaded, total }) => {
      if (total) onUploadProgress(Math.min(1, loaded / total));
    },
  });
  return predictionSchema.parse(data);
}
