import { randomBytes } from 'node:crypto';
import type { CreateLimiter } from '../http/limits/limiters.ts';
import type { SignOuts } from '../identity/accounts/sign-outs.ts';
import type { KeyStore } from '../identity/tokens/signing-keys.ts';
import type { Arrivals } from '../prediction/incoming/incoming-uploads.ts';
import type { JobQueue, JobQueueOptions } from '../prediction/queue/job-queue.ts';

/** Maintenance work. It may run twice, and in the middle of anything. */
export interface Chore {
  readonly name: string;
  readonly everyMs: number;
  /** minute, hour, day of the month, month, day of the week; for a schedule that several machines share */
  readonly cron: string;
  readonly work: () => Promise<void>;
}

/**
 * What the machines of one database share. A single machine has all of it in its own process and folder; several have it in PostgreSQL
 * (folder `machines`, which nothing else knows and a single machine never loads).
 */
export interface Machines {
  readonly createLimiter: CreateLimiter;
  readonly signOuts: SignOuts;
  /** signs tickets */
  readonly ticketKey: Uint8Array;
  /** Opens the keys that sign ID tokens. */
  readonly openKeys: () => Promise<KeyStore>;
  readonly createQueue: (options: JobQueueOptions) => JobQueue;
  /** uploads that other machines are receiving; null when there are none */
  readonly arrivals: Arrivals | null;
  /** Deletes expired counts from the database; in memory they expire on their own. */
  clearCounts(): Promise<void>;
  /** Begins to run chores, each on one machine at a time. @returns what stops them */
  runChores(chores: readonly Chore[], onError: (name: string, error: unknown) => void): Promise<{ close(): unknown }>;
  close(): Promise<void>;
}

const KEY_BYTES = 32;
export const newTicketKey = (): Buffer => randomBytes(KEY_BYTES);
