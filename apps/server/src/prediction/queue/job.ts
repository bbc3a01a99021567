import type { EarlyDetection, PredictionFields, ProblemCode, ProblemDetails } from '@chiffchaff/contract';
import type { FastifyBaseLogger } from 'fastify';
import type { Selectable } from 'kysely';
import type { PredictionsTable } from '../../database/tables.ts';

/** Columns of a job's row that it has as they are. */
export const JOB_COLUMNS = [
  'id',
  'accountId',
  'network',
  'idempotencyKey',
  'createdAtMs',
  'fileName',
  'sha256',
  'bytes',
  'attempts',
] as const;

/** A recording that has fully arrived and has no answer yet. */
export interface Job extends Readonly<Pick<Selectable<PredictionsTable>, (typeof JOB_COLUMNS)[number]>> {
  /** path of the upload below `uploads/` */
  readonly uploadName: string;
  readonly fields: PredictionFields;
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
