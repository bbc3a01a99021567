import type { EarlyDetection, PredictionFields, ProblemCode, ProblemDetails } from '@chiffchaff/contract';
import type { Upload } from '../receive-upload.ts';

/** A recording that has arrived whole and waits for an answer. */
export interface NewJob {
  readonly id: string;
  /** null when nobody is signed in */
  readonly accountId: string | null;
  /** null when the work is nobody's but the connection's that asked for it */
  readonly idempotencyKey: string | null;
  readonly upload: Upload;
  /** path of the upload below the upload folder */
  readonly uploadName: string;
  readonly fields: PredictionFields;
  /** Thrown unless its key stands for it already. */
  readonly refusal: Error | null;
}

/** A job that this process has taken on. */
export interface ClaimedJob {
  readonly id: string;
  readonly accountId: string | null;
  readonly idempotencyKey: string | null;
  readonly createdAtMs: number;
  readonly fileName: string | null;
  readonly sha256: string;
  readonly bytes: number;
  readonly uploadName: string;
  readonly fields: PredictionFields;
}

/** Why there is no answer: a row of the catalogue with its details. */
export interface JobProblem<Code extends ProblemCode = ProblemCode> {
  readonly code: Code;
  readonly details: ProblemDetails[Code];
}

export interface JobProgress {
  readonly stage: 'queued' | 'listening';
  readonly fraction: number | null;
  readonly detections: readonly EarlyDetection[];
}

export interface JobFailure {
  readonly state: 'failed';
  readonly problem: JobProblem;
}

/** `text` is the prediction as JSON: it may be large, and is written once for all who wait for it. */
export type JobOutcome = { readonly state: 'done'; readonly text: Buffer } | JobFailure;
