import type { Analysis } from '@chiffchaff/analysis';
import type { PredictionFields } from '@chiffchaff/contract';
import type { StoredRow } from '../stored/answers.ts';
import type { ClaimedJob, JobFailure, JobProblem, NewJob } from './job.ts';

/** What has become of a recording that arrived: a new job, or one that its idempotency key has asked for before. */
export type Acceptance = { readonly kind: 'accepted' } | { readonly kind: 'known'; readonly id: string };

/** An upload whose answer is stored while its sound may still have to be kept. */
export interface AnsweredUpload {
  readonly id: string;
  readonly accountId: string;
  readonly uploadName: string;
  readonly fields: PredictionFields;
}

/** Which jobs are wanted: recordings of many bytes take long, and must not keep others from their turn. */
export interface WantedJobs {
  readonly large: boolean;
}

/**
 * The durable queue: recordings that have arrived whole and have no answer yet. What is accepted, answered, failed or discarded is on disk when
 * its promise resolves; leases and what only tidies up outlive a killed process, and after a power cut they are made anew.
 *
 * A claim is a lease: whoever holds it renews it, and when it has run out the job is anybody's. Work without an idempotency key
 * belongs to the connection that asked for it, hence to the process that received it; it goes when that process does.
 */
export interface PredictionJobs {
  /** @throws HttpProblem IDEMPOTENCY_KEY_REUSED when the key stands for another request */
  accept(job: NewJob): Promise<Acceptance>;
  /**
   * Takes on a job that nobody works on: accounts have their turns one after the other, the one that has waited longest since its last
   * turn first, each with its oldest job. One that was begun too often comes with `exhausted`.
   */
  claim(wanted: WantedJobs): Promise<(ClaimedJob & { readonly exhausted: boolean }) | null>;
  /** Prolongs all leases of this process. @returns the ids of the jobs that it still holds */
  renewLeases(): Promise<ReadonlySet<string>>;
  /** The job has got on: what breaks it off from now on counts anew. */
  noteProgress(id: string): Promise<void>;
  /** Stores the answer of a job that this process holds. @returns false when the job is not its any more: nothing is stored then */
  finish(job: ClaimedJob, analysis: Analysis): Promise<boolean>;
  /** @returns false when the job is not this process's any more */
  fail(job: ClaimedJob, problem: JobProblem): Promise<boolean>;
  /** Gives a job back, to be taken on again. @param counts whether the recording may be the reason */
  handBack(id: string, options?: { readonly counts: boolean }): Promise<void>;
  /** Removes a job that has no answer yet. @returns its upload, null when there was no such job */
  discard(id: string): Promise<{ readonly uploadName: string | null } | null>;
  /** `inWork`, what came of it, or null when there is no such prediction. */
  outcomeOf(id: string): Promise<{ readonly state: 'done'; readonly row: StoredRow } | JobFailure | 'inWork' | null>;
  /** Nothing is left of an upload. @returns false when its prediction has been removed meanwhile */
  forgetUpload(id: string): Promise<boolean>;
  /** Takes back what processes held that live no more. @returns uploads that are settled and those that nobody needs now */
  takeUpLeftovers(): Promise<{ readonly answered: readonly AnsweredUpload[]; readonly discarded: readonly string[] }>;
  /** Names of all uploads that a job or an answer still needs. */
  neededUploads(): Promise<ReadonlySet<string>>;
  /** Jobs without an answer. */
  inWork(): Promise<readonly { readonly id: string; readonly accountId: string | null }[]>;
}
