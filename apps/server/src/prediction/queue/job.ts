import type { EarlyDetection, PredictionFields, ProblemCode, ProblemDetails } from '@chiffchaff/contract';
import type { FastifyBaseLogger } from 'fastify';

/** A recording that has fully arrived and has no answer yet. */
export interface Job {
  readonly id: string;
  /** null without an account */
  readonly accountId: string | null;
  /** of the sender's address; null when no longer known */
  readonly network: string | null;
  /** null when the job ends with the connection that requested it */
  readonly idempotencyKey: string | null;
  readonly createdAtMs: number;
  readonly fileName: string | null;
  readonly sha256: string;
  readonly bytes: number;
  /** path of the upload below `uploads/` */
  readonly uploadName: string;
  readonly fields: PredictionFields;
  /** how often the analysis process died because of it, counting certain cases only */
  readonly attempts: number;
}

/** Why there is no answer: a problem of the catalogue with its details. */
export interface JobProblem<Code extends ProblemCode = ProblemCode> {
  readonly code: Code;
  readonly details: ProblemDetails[Code];
}

export interface JobProgress {
  readonly stage: 'queued' | 'listening';
  readonly fraction: number | null;
  /** It waits because other recordings are being analysed. */
  readonly behindOthers: boolean;
  readonly detections: readonly EarlyDetection[];
}

export interface JobFailure {
  readonly state: 'failed';
  readonly problem: JobProblem;
}

/** `text` is the prediction as JSON. It may be large, so it is serialized once for all watchers. */
export type JobOutcome = { readonly state: 'done'; readonly text: Buffer } | JobFailure;

export const waitingProgress = (behindOthers: boolean): JobProgress => ({
  stage: 'queued',
  fraction: null,
  behindOthers,
  detections: [],
});

export interface JobWatcher {
  readonly onProgress?: (progress: JobProgress) => void;
  readonly onOutcome: (outcome: JobOutcome) => void;
}

/** Notifies all watchers. An exception in one is logged and does not affect the others. */
export function tellWatchers(
  watchers: Iterable<JobWatcher>,
  log: Pick<FastifyBaseLogger, 'error'>,
  tell: (watcher: JobWatcher) => void,
): void {
  for (const watcher of watchers) {
    try {
      tell(watcher);
    } catch (error) {
      log.error({ err: error }, 'one who follows a prediction could not be told of it');
    }
  }
}

export const CANCELLED: JobFailure = { state: 'failed', problem: { code: 'PREDICTION_CANCELLED', details: {} } };
