import { type KeepAudio, type Prediction, type PredictionEvent, predictionSchema } from '@chiffchaff/contract';
import type { AxiosInstance } from 'axios';
import { type ApiError, toApiError } from '../api/api-error.ts';
import type { DeviceAnswer } from '../on-device/device-recognizer.ts';

/** How far the server is: waiting or listening, which part it has listened to, what it has heard so far. */
export type ListeningReport = Omit<Extract<PredictionEvent, { type: 'progress' }>, 'type'>;

/** What a person asks: a recording, and what they know of its place and date. */
export interface PredictionRequest {
  readonly file: File;
  /** degrees; both or none */
  readonly place: { readonly latitude: number; readonly longitude: number } | null;
  /** Who says the place, if there is one. */
  readonly placeSource: 'stated' | 'file';
  /** IANA time zone of the device, to assume a place from; null where there is one, or none is to be assumed. */
  readonly timeZone: string | null;
  /** ISO date, `2026-05-01` */
  readonly date: string | null;
  readonly language: string | null;
  /** What is kept of the sound; null leaves it to the account's setting. */
  readonly keepAudio: KeepAudio | null;
  /** The person wants to listen for half an hour to what this browser cannot show by itself. */
  readonly listeningCopy: boolean;
  /** It is analysed in this page: nothing of it is sent. */
  readonly isForDevice: boolean;
}

export interface SendOptions {
  /** The request's name, chosen here: the server answers the same request once, and tells by it how far it is. */
  readonly key: string;
  readonly signal: AbortSignal;
  /** Part of the request's body that has been sent, 0–1. */
  readonly onUploadProgress: (progress: number) => void;
  readonly onListening: (report: ListeningReport) => void;
  /** Of an upload in pieces: where an earlier page began it, and who hears where it is begun. */
  readonly pieces?: UploadPlace;
}

export interface UploadPlace {
  /** null where none has begun */
  readonly url: string | null;
  readonly onUrl: (url: string) => void;
}

export type Outcome =
  | {
      readonly kind: 'answered';
      readonly prediction: Prediction;
      /** What the page itself knows of an answer of its own. */
      readonly device?: DeviceAnswer;
    }
  | { readonly kind: 'failed'; readonly error: ApiError };

/** Sends a request and waits for its outcome; never rejects. What it makes of an aborted signal does not matter. */
export type SendPrediction = (
  request: PredictionRequest,
  options: SendOptions,
) => Promise<Outcome & { /** An account has the answer in its history. */ readonly isKept?: boolean }>;

interface RequestOptions extends Pick<SendOptions, 'key' | 'signal' | 'onUploadProgress' | 'pieces'> {
  /** Whether a large recording may be sent in pieces: the server takes them from accounts only. */
  readonly inPieces: boolean;
}

/** From here on a lost connection would cost too much. */
const PIECES_FROM_BYTES = 20_000_000;
/** Everything has been sent only when the form has, too. */
const MOST_BEFORE_FORM = 0.999;

/** Fields come before the file, so that the server knows them while the recording is still arriving. */
function formOf(request: PredictionRequest, upload: string | null): FormData {
  const { file, place, placeSource, timeZone, date, language, keepAudio, listeningCopy } = request;
  const form = new FormData();
  if (place) {
    form.append('latitude', String(place.latitude));
    form.append('longitude', String(place.longitude));
    form.append('placeSource', placeSource);
  }
  if (timeZone !== null) form.append('timeZone', timeZone);
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
  { key, signal, inPieces, onUploadProgress, pieces }: RequestOptions,
): Promise<Prediction> {
  const { file } = request;
  let upload: string | null = null;
  if (inPieces && file.size > PIECES_FROM_BYTES) {
    const { sendInPieces } = await import('./send-in-pieces.ts');
    const onProgress = (progress: number) => onUploadProgress(Math.min(MOST_BEFORE_FORM, progress));
    upload = await sendInPieces(http, file, { signal, onProgress, ...(pieces && { pieces }) });
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
