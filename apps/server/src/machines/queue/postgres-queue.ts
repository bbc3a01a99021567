import type { PostgresDatabase } from '../../database/postgres/open-postgres.ts';
import { createAdmission } from '../../prediction/queue/admission.ts';
import type { Job, JobOutcome } from '../../prediction/queue/job.ts';
import { acceptJob, type JobQueue, type JobQueueOptions } from '../../prediction/queue/job-queue.ts';
import { createJobStore } from '../../prediction/queue/job-store.ts';
import { unlessAborted } from '../../unless-aborted.ts';
import { readWorkers, registerMachine } from '../machine-register.ts';
import { createRowFollower } from './follow-rows.ts';
import { type Boss, type BossOptions, type Claim, openBoss } from './open-boss.ts';
import { CANCELLED_CHANNEL, createJobTaker, WAITING_CHANNEL } from './take-jobs.ts';
import { CHANGED_CHANNEL, countWaiting } from './work-rows.ts';

export interface PostgresQueueOptions extends Omit<BossOptions, 'supervises'> {
  /** Whether this machine works on jobs, or only accepts recordings. */
  readonly works: boolean;
}

/**
 * The queue of several machines: rows in PostgreSQL, and jobs of pg-boss that change in the same transactions. Any web machine accepts
 * recordings and reports on them. Workers analyse them, one worker per job.
 *
 * @returns a function that creates the queue of a server
 */
export async function openPostgresQueue(options: PostgresQueueOptions): Promise<(parts: JobQueueOptions) => JobQueue> {
  const boss = await openBoss({ ...options, supervises: options.works });
  return (parts) => createPostgresQueue({ ...options, ...parts, boss });
}

type CreateOptions = JobQueueOptions & { readonly database: PostgresDatabase; readonly boss: Boss; readonly works: boolean };

function createPostgresQueue(options: CreateOptions): JobQueue {
  const { database, boss, works, answers, counts, uploads, modelLoader, log } = options;
  const claims = new Map<string, Claim>();
  // A job that this process ends without a claim was given up by pg-boss.
  const jobs = createJobStore(database, {
    async accepted(job, query) {
      await boss.enqueue([job], query);
      await database.notify(WAITING_CHANNEL, '', query);
    },
    async ended(id, query) {
      const claim = claims.get(id);
      if (claim === undefined) await boss.remove(id, query);
      else if (!(await boss.finish(claim, query))) return false;
      await database.notify(CHANGED_CHANNEL, id, query);
      return true;
    },
    async discarded(id, query) {
      await boss.remove(id, query);
      await database.notify(CANCELLED_CHANNEL, id, query);
      await database.notify(CHANGED_CHANNEL, id, query);
    },
  });
  const follower = createRowFollower(database, answers, log);
  const taker = works ? createJobTaker({ ...options, jobs, claims }) : null;
  let register: Awaited<ReturnType<typeof registerMachine>> | null = null;
  let waiting = 0;
  counts.observeWork(async () => {
    // While the database is unavailable, the last count is reported, so that the other metrics are not lost.
    waiting = await countWaiting(database.query).catch(() => waiting);
    return { waiting, running: taker?.runningCount ?? 0, slotsHeld: taker?.slotsHeld() ?? [] };
  });
  const { query } = database;
  const admission = createAdmission({ query, waiting: options.waiting, workers: () => readWorkers(query) });

  function outcomeOf(id: string, signal: AbortSignal): Promise<JobOutcome> {
    const { promise, resolve } = Promise.withResolvers<JobOutcome>();
    follower.follow(id, { onOutcome: resolve }, signal);
    return unlessAborted(promise, signal);
  }

  const begin =
    ({ id, accountId, idempotencyKey }: Job) =>
    async (signal: AbortSignal): Promise<JobOutcome> => {
      const outcome = await outcomeOf(id, signal);
      // No other request can ask for it.
      if (accountId === null || (idempotencyKey === null && outcome.state === 'failed')) await jobs.forget(id);
      return outcome;
    };

  async function cancel(id: string): Promise<boolean> {
    const discarded = await jobs.discard(id);
    if (discarded === null) return false;
    if (discarded.uploadName !== null) await uploads.remove(discarded.uploadName);
    return true;
  }

  return {
    requireRoom: admission.check,

    add: (newJob) => acceptJob(jobs, newJob, outcomeOf, begin, cancel),

    follow: follower.follow,
    progressOf: follower.progressOf,
    cancel,

    async drop(id) {
      await boss.remove(id);
      await database.notify(CANCELLED_CHANNEL, id);
      await database.notify(CHANGED_CHANNEL, id);
    },

    async start() {
      await follower.start();
      await modelLoader.get().catch(() => {});
      const model = () => modelLoader.loaded?.fingerprint ?? null;
      const places = works ? options.running : 0;
      register = await registerMachine({ database, places, model, onOtherModel: modelLoader.lookNow, log });
      await taker?.start(register.noteJob);
    },

    settled: async () => taker?.settled(),

    beginClosing() {
      admission.close();
      taker?.beginClosing();
    },

    async close() {
      await follower.close();
      await taker?.close();
      await register?.close();
      await boss.close();
    },
  };
}
