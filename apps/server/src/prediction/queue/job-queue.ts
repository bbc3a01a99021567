import { setTimeout as sleep } from 'node:timers/promises';
import { HttpProblem } from '../../http/http-problem.ts';
import type { PendingUpload } from '../incoming/incoming-uploads.ts';
import type { Sender } from '../incoming/owners.ts';
import type { StoredRow } from '../stored/prediction-store.ts';
import type { StoredAnswers } from '../stored/stored-answers.ts';
import type { AnalyzeJobOptions } from './analyze-job.ts';
import { CANCELLED, type Job, type JobOutcome, type JobProgress, type JobWatcher } from './job.ts';
import type { JobStore, NewJob } from './job-store.ts';

/** What every queue needs from the rest of the server. */
export interface JobQueueOptions extends Omit<AnalyzeJobOptions, 'jobs'> {
  readonly answers: Pick<StoredAnswers, 'jsonOf' | 'headOf'>;
  /** recordings that are analysed concurrently, unless more owners wait */
  readonly running: number;
  /** recordings that may wait */
  readonly waiting: number;
}

/** What an arrived recording became: a new job, or the prediction that its idempotency key already stands for. */
export interface AcceptedJob {
  readonly id: string;
  readonly isNew: boolean;
  /** @throws the signal's reason when it aborts: a job with a key continues, one without stops */
  outcome(signal: AbortSignal): Promise<JobOutcome>;
}

/** Recordings that have fully arrived and have no answer yet: their rows and their progress. */
export interface JobQueue {
  /**
   * Call this before a body is read.
   *
   * @throws HttpProblem SERVER_BUSY when too many recordings wait, in total or of this account or network
   */
  requireRoom(sender: Sender): Promise<void>;
  /** @throws what `JobStore.accept` throws */
  add(job: NewJob & { readonly pending: PendingUpload }): Promise<AcceptedJob>;
  /** Reports progress and outcome of a prediction, the current state first, until the signal aborts. */
  follow(id: string, watcher: JobWatcher, signal: AbortSignal): void;
  /** Progress by id, without ids that are not jobs. */
  progressOf(ids: readonly string[]): Promise<ReadonlyMap<string, JobProgress>>;
  /** Cancels a job for good. @returns false when it no longer exists */
  cancel(id: string): Promise<boolean>;
  /** Cancels a job whose row has already been removed. */
  drop(id: string): Promise<void>;
  /** Resumes what an earlier run left, and starts working. */
  start(): Promise<void>;
  /** Resolves when this process is analysing nothing and removing no upload. */
  settled(): Promise<void>;
  /** Accepts no more recordings; jobs continue. */
  beginClosing(): void;
  /** Stops running jobs. Those that outlive this process resume from their checkpoints, later or elsewhere. */
  close(): Promise<void>;
}

/**
 * Accepts a recording, for both queues.
 *
 * @param outcomeOf the outcome of a prediction that its key already stands for. @throws the signal's reason when it aborts
 * @param begin follows a new job. @returns waits for its outcome. @throws the signal's reason when it aborts
 */
export async function acceptJob(
  jobs: JobStore,
  newJob: NewJob & { readonly pending: PendingUpload },
  outcomeOf: (id: string, signal: AbortSignal) => Promise<JobOutcome>,
  begin: (job: Job) => (signal: AbortSignal) => Promise<JobOutcome>,
  cancel: (id: string) => Promise<boolean>,
): Promise<AcceptedJob> {
  const accepted = await jobs.accept(newJob);
  if ('known' in accepted) return { id: accepted.known, isNew: false, outcome: (signal) => outcomeOf(accepted.known, signal) };
  newJob.pending.keep();
  const { id, idempotencyKey } = accepted.job;
  const outcome = begin(accepted.job);
  return {
    id,
    isNew: true,
    async outcome(signal) {
      try {
        return await outcome(signal);
      } catch (error) {
        if (idempotencyKey === null) await cancel(id);
        throw error;
      }
    },
  };
}

/** How soon to retry an answer when too many are being opened. */
const OPEN_AGAIN_MS = 2_000;

/** The outcome of a job whose answer is stored. @throws the signal's reason when it aborts */
export async function storedOutcome(
  answers: Pick<StoredAnswers, 'jsonOf'>,
  row: StoredRow,
  signal: AbortSignal,
): Promise<JobOutcome> {
  for (;;) {
    try {
      return { state: 'done', text: await answers.jsonOf(row) };
    } catch (error) {
      if (!(error instanceof HttpProblem)) throw error;
      if (error.code === 'NOT_FOUND') return CANCELLED;
      // Too many answers of the account are being opened.
      await sleep(OPEN_AGAIN_MS, undefined, { signal });
    }
  }
}
