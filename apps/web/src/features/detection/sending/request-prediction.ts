import { type KeepAudio, type Prediction, predictionSchema } from '@chiffchaff/contract';
import type { AxiosInstance } from 'axios';
import { type ApiError, toApiError } from '../../../platform/api/api-error.ts';
import type { ListeningReport } from '../prediction-state.ts';

/** What a person asks: a recording, and what they know of its place and date. */
export interface PredictionRequest {
  readonly file: File;
  /** degrees; both or none */
  readonly place: { readonly latitude: number; readonly longitude: number } | null;
  /** ISO date, `2026-05-01` */
  readonly date: string | null;
  readonly language: string | null;
  /** What is kept of the sound; null leaves it to the account's setting. */
  readonly keepAudio: KeepAudio | null;
  /** The person wants to listen for half an hour to what this browser cannot show by itself. */
  readonly listeningCopy: boolean;
}

export interface SendOptions {
  /** The request's name, chosen here: the server answers the same request once, and tells by it how far it is. */
  readonly key: string;
  readonly signal: AbortSignal;
  /** Part of the request's body that has been sent, 0–1. */
  readonly onUploadProgress: (progress: number) => void;
  readonly onListening: (report: ListeningReport) => void;
}

export type Outcome =
  | { readonly kind: 'answered'; readonly prediction: Prediction }
  | { readonly kind: 'failed'; readonly error: ApiError };

/** Sends a request and waits for its outcome; never rejects. What it makes of an aborted signal does not matter. */
export type SendPrediction = (request: PredictionRequest, options: SendOptions) => Promise<Outcome>;

interface RequestOptions extends Pick<SendOptions, 'key' | 'signal' | 'onUploadProgress'> {
  /** Whether a large recording may be sent in pieces: the server takes them from accounts only. */
  readonly inPieces: boolean;
}

/** From here on a lost connection would cost too much. */
const PIECES_FROM_BYTES = 20_000_000;
/** Everything has been sent only when the form has, too. */
const MOST_BEFORE_FORM = 0.999;

/** Fields come before the file, so that the server knows them while the recording is still arriving. */
function formOf({ file, place, date, language, keepAudio, listeningCopy }: PredictionRequest, upload: string | null): FormData {
  const form = new FormData();
  if (place) {
    form.append('latitude', String(place.latitude));
    form.append('longitude', String(place.longitude));
  }
  if (date !== null) form.append('date', date);
  if (language !== null) form.append('language', language);
  if (keepAudio !== null) form.append('keepAudio', keepAudio);
  if (listeningCopy) form.append('listeningCopy', 'true');
  if (upload === null) form.append('file', file, file.name);
  else form.append('upload', upload);
  return form;
}

/**
 * `POST /get_prediction`: sends one recording, a large one in pieces before.
 *
 * @throws AxiosError for any answer but 200, and when the signal aborts; ZodError when the answer is no prediction
 */
export async function requestPrediction(
  http: AxiosInstance,
  request: PredictionRequest,
  { key, signal, inPieces, onUploadProgress }: RequestOptions,
): Promise<Prediction> {
  const { file } = request;
  let upload: string | null = null;
  if (inPieces && file.size > PIECES_FROM_BYTES) {
    const { sendInPieces } = await import('./send-in-pieces.ts');
    const onProgress = (progress: number) => onUploadProgress(Math.min(MOST_BEFORE_FORM, progress));
    upload = await sendInPieces(http, file, { signal, onProgress });
  }
  try {
    const { data } = await http.post<unknown>('/get_prediction', formOf(request, upload), {
      signal,
      headers: { 'Idempotency-Key': key },
      onUploadProgress: ({ loaded, total }) => {
        // Of a form that only names the recording, nothing is told but its end.
        if (total && (upload === null || loaded >= total)) onUploadProgress(Math.min(1, loaded / total));
      },
    });
    return predictionSchema.parse(data);
  } catch (error) {
    // What was stopped or refused is sent anew when it is tried again; what cannot be removed now goes a day later.
    if (upload !== null && (signal.aborted || toApiError(error).kind === 'problem')) {
      http.delete(`/v1/uploads/${upload}`, { headers: { 'Tus-Resumable': '1.0.0' } }).catch(() => {});
    }
    throw error;
  }
}
