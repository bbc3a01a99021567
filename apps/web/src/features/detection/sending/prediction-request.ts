import type { KeepAudio, Prediction } from '@chiffchaff/contract';
import type { ApiError } from '../../../platform/api/api-error.ts';
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
