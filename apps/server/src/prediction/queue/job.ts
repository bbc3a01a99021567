import type { EarlyDetection, PredictionFields, ProblemCode, ProblemDetails } from '@chiffchaff/contract';
import type { FastifyBaseLogger } from 'fastify';

/** A recording that has arrived whole and has no answer yet. */
export interface Job {
  readonly id: string;
  /** null without a sign-in */
  readonly accountId: string | null;
  /** of the sender's address; null where it is not known any more */
  readonly network: string | null;
  /** null when the work belongs to the connection that asked for it, and ends with it */
  readonly idempotencyKey: string | null;
  readonly createdAtMs: number;
  readonly fileName: string | null;
  readonly sha256: string;
  readonly bytes: number;
  /** path of the upload below the upload folder */
  readonly uploadName: string;
  readonly fields: PredictionFields;
  /** times that the analysis process died of it, as far as that is certain */
  readonly attempts: number;
}

/** Why there is no answer: a row of the catalogue with its details. */
export interface JobProblem<Code extends ProblemCode = ProblemCode> {
  readonly code: Code;
  readonly details: ProblemDetails[Code];
}

export interface JobProgress {
  readonly stage: 'queued' | 'listening';
  readonly fraction: number | null;
  /** It waits because other recordings are analysed. */
  readonly behindOthers: boolean;
  readonly detections: readonly EarlyDetection[];
}

export interface JobFailure {
  readonly state: 'failed';
  readonly problem: JobProblem;
}

/** `text` is the prediction as JSON: it may be large, and is written once for all who wait for it. */
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

/** Tells all who watch. What goes wrong with one of them is logged, and concerns nobody else. */
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
