import { type KeepAudio, type Prediction, type PredictionEvent, predictionSchema } from '@chiffchaff/contract';
import type { AxiosInstance } from 'axios';
import { type ApiError, toApiError } from '../api/api-error.ts';
import type { DeviceAnswer } from '../on-device/device-recognizer.ts';
import type { RequestedConditions } from './requested-conditions.ts';
import type { UploadPlace } from './send-in-pieces.ts';

/** The server's progress: whether the recording is queued or being analysed, the fraction analysed, and the detections so far. */
export type AnalysisReport = Omit<Extract<PredictionEvent, { type: 'progress' }>, 'type'>;

/** A user's request. */
export interface PredictionRequest extends RequestedConditions {
  readonly file: File;
  readonly language: string | null;
  /** lowest score of a detection; the model's own when absent */
  readonly minScore?: number;
  /** Audio retention; null means the account's setting. */
  readonly keepAudio: KeepAudio | null;
  /** Asks for a copy to listen to for half an hour, because this browser cannot play the recording itself. */
  readonly listeningCopy: boolean;
  /** Analysed in this page: nothing is sent. */
  readonly isForDevice: boolean;
}

export interface SendOptions {
  /** Idempotency key, created by the page: the server handles the same request only once, and reports its progress under this key. */
  readonly key: string;
  readonly signal: AbortSignal;
  /** Fraction of the request's body that has been sent, 0–1. */
  readonly onUploadProgress: (progress: number) => void;
  readonly onAnalysis: (report: AnalysisReport) => void;
  /** For an upload in pieces: where an earlier page started it, and a callback for the address of a new one. */
  readonly pieces?: UploadPlace | undefined;
}

export type Outcome =
  | {
      readonly kind: 'answered';
      readonly prediction: Prediction;
      /** Set if this page made the prediction: more details of it. */
      readonly device?: DeviceAnswer;
    }
  | { readonly kind: 'failed'; readonly error: ApiError };

export interface CheckedSendOptions extends SendOptions {
  /** Fraction of the recording that was searched for speech before it is sent, 0–1. */
  readonly onSpeechCheck: (progress: number) => void;
}

/** Sends a request and waits for its outcome; never rejects. The outcome is ignored once the signal has aborted. */
export type SendPrediction = (
  request: PredictionRequest,
  options: CheckedSendOptions,
) => Promise<Outcome & { /** The prediction is in an account's history. */ readonly isKept?: boolean }>;

interface RequestOptions extends Omit<SendOptions, 'onAnalysis'> {
  /** The server keeps the prediction for an account, and only from accounts accepts a large recording in pieces. */
  readonly isKept: boolean;
}

/** From this size on, losing the connection would cost too much. */
const PIECES_FROM_BYTES = 20_000_000;
/** The upload is complete only when the form has been sent too. */
const MOST_BEFORE_FORM = 0.999;

/** The fields come before the file, so that the server knows them while the recording is still arriving. */
function formOf(request: PredictionRequest, upload: string | null): FormData {
  const { file, place, placeSource, timeZone, date, language, minScore, keepAudio, listeningCopy } = request;
  const form = new FormData();
  if (place) {
    form.append('latitude', String(place.latitude));
    form.append('longitude', String(place.longitude));
    form.append('placeSource', placeSource);
  }
  if (timeZone !== null) form.append('timeZone', timeZone);
  if (date !== null) form.append('date', date);
  if (language !== null) form.append('language', language);
  if (minScore !== undefined) form.append('minScore', String(minScore));
  if (keepAudio !== null) form.append('keepAudio', keepAudio);
  if (listeningCopy) form.append('listeningCopy', 'true');
  if (upload === null) form.append('file', file, file.name);
  else form.append('upload', upload);
  return form;
}

/**
 * `POST /get_prediction`: sends one recording; a large one is first uploaded in pieces.
 *
 * @throws AxiosError for any status but 200; AxiosError or the signal's reason when it aborts; ZodError when the response is no prediction
 */
export async function requestPrediction(
  http: AxiosInstance,
  request: PredictionRequest,
  { key, signal, isKept, onUploadProgress, pieces }: RequestOptions,
): Promise<Prediction> {
  const { file } = request;
  let upload: string | null = null;
  if (isKept && file.size > PIECES_FROM_BYTES) {
    const { sendInPieces } = await import('./send-in-pieces.ts');
    const onProgress = (progress: number) => onUploadProgress(Math.min(MOST_BEFORE_FORM, progress));
    upload = await sendInPieces(http, file, { signal, onProgress, pieces });
  }
  try {
    const { data } = await http.post<unknown>('/get_prediction', formOf(request, upload), {
      signal,
      headers: { 'Idempotency-Key': key },
      onUploadProgress: ({ loaded, total }) => {
        // A form that only names the upload is tiny: only its end is reported.
        if (total && (upload === null || loaded >= total)) onUploadProgress(Math.min(1, loaded / total));
      },
    });
    return predictionSchema.parse(data);
  } catch (error) {
    // A new attempt uploads a cancelled or refused recording again. If this removal fails, the server removes the upload a day later.
    if (upload !== null && (signal.aborted || toApiError(error).kind === 'problem')) {
      http.delete(`/v1/uploads/${upload}`, { headers: { 'Tus-Resumable': '1.0.0' } }).catch(() => {});
    }
    throw error;
  }
}
