import { setTimeout as sleep } from 'node:timers/promises';
import { HttpProblem } from '../../http/http-problem.ts';
import type { PendingUpload } from '../incoming/incoming-uploads.ts';
import type { Sender } from '../incoming/owners.ts';
import type { Answers, StoredRow } from '../stored/answers.ts';
import type { AnalyzeJobOptions } from './analyze-job.ts';
import { CANCELLED, type JobOutcome, type JobProgress, type JobWatcher } from './job.ts';
import type { NewJob } from './job-store.ts';

/** What every queue needs of the rest of the server. */
export interface JobQueueOptions extends Omit<AnalyzeJobOptions, 'jobs'> {
  readonly answers: Pick<Answers, 'jsonOf' | 'headOf'>;
  /** recordings that are analysed at once, besides long ones */
  readonly running: number;
  /** recordings that may wait besides */
  readonly waiting: number;
}

/** What a recording has become when it arrived: a job of its own, or what its idempotency key stands for. */
export interface AcceptedJob {
  readonly id: string;
  readonly isNew: boolean;
  /** @throws the signal's reason when it aborts: work with a key goes on, work without one stops */
  outcome(signal: AbortSignal): Promise<JobOutcome>;
}

/** Recordings that have arrived whole and have no answer yet: their rows, and what is known of the work on them. */
export interface JobQueue {
  /**
   * To be asked before a body is read.
   *
   * @throws HttpProblem SERVER_BUSY when too many wait already, or too many of one account or network
   */
  requireRoom(sender: Sender): Promise<void>;
  /** @throws what `JobStore.accept` throws */
  add(job: NewJob & { readonly pending: PendingUpload }): Promise<AcceptedJob>;
  /** Tells progress and outcome of a prediction, what is the case now first, until the signal aborts. */
  follow(id: string, watcher: JobWatcher, signal: AbortSignal): void;
  /** How far jobs are; an id that is absent is none. */
  progressOf(ids: readonly string[]): Promise<ReadonlyMap<string, JobProgress>>;
  /** Stops a job for good. @returns false when there was no such job any more */
  cancel(id: string): Promise<boolean>;
  /** The same for a job whose row has been removed. */
  drop(id: string): Promise<void>;
  /** Takes up what an earlier run has left, and begins to work. */
  start(): Promise<void>;
  /** Resolves when this process analyses nothing and removes no upload. */
  settled(): Promise<void>;
  /** Accepts nothing more; what is under way goes on. */
  beginClosing(): void;
  /** Stops what is running; what outlives this process goes on from its checkpoint, later or elsewhere. */
  close(): Promise<void>;
}

/** How soon an answer is opened again when too many are being opened. */
const OPEN_AGAIN_MS = 2_000;

/** The outcome of a job whose answer is stored. @throws the signal's reason when it aborts */
export async function storedOutcome(answers: Pick<Answers, 'jsonOf'>, row: StoredRow, signal: AbortSignal): Promise<JobOutcome> {
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
