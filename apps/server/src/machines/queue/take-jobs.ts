import type { PostgresDatabase } from '../../database/postgres/open-postgres.ts';
import { finalizeLeft } from '../../prediction/queue/analyze-job.ts';
import type { Job } from '../../prediction/queue/job.ts';
import type { JobQueueOptions } from '../../prediction/queue/job-queue.ts';
import type { JobStore } from '../../prediction/queue/job-store.ts';
import { createRunner, MAX_CERTAIN_DEATHS } from '../../prediction/queue/runner.ts';
import { takerOf } from '../../prediction/queue/turns.ts';
import { repeat } from '../../repeat.ts';
import { type Boss, type Claim, HEARTBEAT_SECONDS } from './open-boss.ts';
import { createProgressWriter } from './progress-writer.ts';
import { readQueued } from './work-rows.ts';

/** Notified when a job waits: workers with room take it. */
export const WAITING_CHANNEL = 'prediction waits';
/** Notified with the id of a cancelled job: its worker stops. */
export const CANCELLED_CHANNEL = 'prediction cancelled';
/** Often enough that two heartbeats may be late. */
const KEEP_EVERY_MS = (HEARTBEAT_SECONDS * 1000) / 4;
/** A job that waits again after its worker has died causes no notification. */
const LOOK_EVERY_MS = 2_000;
const TIDY_EVERY_MS = 10_000;
/** A worker finalizes an upload in seconds. One that is not finalized after this long was left by a crash. */
const FINALIZED_WITHIN_MS = 120_000;

export interface TakeJobsOptions extends JobQueueOptions {
  readonly database: PostgresDatabase;
  readonly boss: Boss;
  readonly jobs: JobStore;
  /** claims of this process, by prediction */
  readonly claims: Map<string, Claim>;
}

/** Takes jobs from the queue while the runner has room, renews their claims while it works on them, and returns them when it must stop. */
export function createJobTaker(options: TakeJobsOptions) {
  const { database, boss, jobs, claims, log } = options;
  const runner = createRunner({ ...options, onRoom: () => void takeAll(), outlives: () => true });
  const progress = createProgressWriter(database, log);
  /** Takers that have had a turn since the others had theirs. */
  const served = new Set<string>();
  const repeats: ReturnType<typeof repeat>[] = [];
  const stops: (() => Promise<void>)[] = [];
  let noteJob: (seconds: number) => void = () => {};
  let taking = false;
  let closing = false;

  /** Takes jobs one by one, so that no more are taken than there is room for. */
  async function takeAll(): Promise<void> {
    if (taking || closing) return;
    taking = true;
    try {
      while (!closing && (await takeOne()));
    } catch (error) {
      log.warn({ err: error }, 'no job could be taken; trying again');
    } finally {
      taking = false;
    }
  }

  async function takeOne(): Promise<boolean> {
    const full = runner.full();
    if (full === null) return false;
    let claim = await boss.claim([...served, ...full]);
    if (claim === null && served.size > 0) {
      served.clear();
      claim = await boss.claim(full);
    }
    if (claim === null) return false;
    if (claims.has(claim.id)) await takeFromItself(claim);
    else await begin(claim);
    return true;
  }

  /** This process was suspended for so long that it was presumed dead, and has claimed its own job. */
  async function takeFromItself(claim: Claim): Promise<void> {
    runner.abandon(claim.id);
    await boss.handBack(claim);
  }

  async function begin(claim: Claim): Promise<void> {
    claims.set(claim.id, claim);
    try {
      const job = await jobs.find(claim.id);
      if (job !== null) return void work(job, claim);
      await boss.remove(claim.id);
      claims.delete(claim.id);
    } catch (error) {
      // Without heartbeats, another worker will take it.
      claims.delete(claim.id);
      throw error;
    }
  }

  async function work(job: Job, claim: Claim): Promise<void> {
    served.add(takerOf(job));
    const start = performance.now();
    const found = await runner.take(job, (now) => progress.report(job.id, now));
    progress.forget(job.id);
    claims.delete(job.id);
    if (found !== 'gaveWay') noteJob((performance.now() - start) / 1000);
    if (found !== null && found !== 'gaveWay') return;
    // Both ignore a job that another worker has or that no longer exists.
    const returned = found === null ? boss.handBack(claim) : boss.requeue(claim, job);
    await returned.catch((error: unknown) =>
      log.warn({ err: error, predictionId: job.id }, 'a job could not be returned; it will time out'),
    );
  }

  /** Renews the claims. Stops jobs that another worker has taken, and those cancelled while this worker could not be notified. */
  async function keepAll(): Promise<void> {
    const held = [...claims.values()];
    if (held.length === 0) return;
    const kept = await boss.keep(held);
    const lost = held.filter((claim) => !kept.has(claim.id) && claims.get(claim.id) === claim);
    for (const { id } of lost) {
      if ((await jobs.find(id)) === null) runner.stop(id);
      else runner.abandon(id);
    }
  }

  async function tidy(): Promise<void> {
    await boss.takeAbandoned(abandon);
    for (const upload of await jobs.notFinalized(Date.now() - FINALIZED_WITHIN_MS)) await finalizeLeft(options, upload);
  }

  async function abandon(id: string): Promise<void> {
    const job = await jobs.find(id);
    if (job === null) {
      await boss.remove(id);
      return;
    }
    const problem = { code: 'ANALYSIS_ABANDONED', details: { attempts: MAX_CERTAIN_DEATHS } } as const;
    if (await jobs.fail(job, problem)) options.counts.countFailure(problem.code);
    await options.uploads.remove(job.uploadName);
  }

  function every(milliseconds: number, what: string, work: () => Promise<void>): void {
    repeats.push(repeat(work, milliseconds, (error) => log.warn({ err: error }, `${what} failed; trying again`)));
  }

  return {
    get runningCount(): number {
      return runner.runningCount;
    },
    slotsHeld: runner.slotsHeld,

    /** @param onJob told how long each job took */
    async start(onJob: (seconds: number) => void): Promise<void> {
      noteJob = onJob;
      const keepSoon = () => void keepAll().catch(() => {});
      stops.push(await database.listen(WAITING_CHANNEL, runner.wake, runner.wake));
      stops.push(await database.listen(CANCELLED_CHANNEL, runner.stop, keepSoon));
      every(KEEP_EVERY_MS, 'keeping jobs', keepAll);
      every(LOOK_EVERY_MS, 'looking for jobs', async () => runner.wake());
      every(TIDY_EVERY_MS, 'cleaning up after jobs', tidy);
      // Rows have no jobs after the move from a single machine.
      await boss.enqueue(await readQueued(database.query), database.query);
      await tidy();
      runner.wake();
    },

    settled: runner.settled,

    /** Takes no more jobs. */
    beginClosing(): void {
      closing = true;
    },

    /** Returns unfinished jobs. */
    async close(): Promise<void> {
      closing = true;
      // What they are doing is not waited for: it may itself wait for the database.
      for (const repeated of repeats) void repeated.close();
      await runner.close();
      await Promise.all(stops.map((stop) => stop()));
    },
  };
}
