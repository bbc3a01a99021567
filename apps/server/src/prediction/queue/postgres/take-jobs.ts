import type { PostgresDatabase } from '../../../database/postgres/open-postgres.ts';
import { finalizeLeft } from '../analyze-job.ts';
import type { Job } from '../job.ts';
import type { JobQueueOptions } from '../job-queue.ts';
import type { JobStore } from '../job-store.ts';
import { createRunner } from '../runner.ts';
import { LANES, type Lane } from '../slots.ts';
import { registerWorker } from '../worker-register.ts';
import { type Boss, type Claim, HEARTBEAT_SECONDS } from './open-boss.ts';
import { createProgressWriter } from './progress-writer.ts';

/** Told when a job waits: workers that have room take it. */
export const WAITING_CHANNEL = 'prediction waits';
/** Told with the id of a job that was cancelled: the worker that has it stops. */
export const CANCELLED_CHANNEL = 'prediction cancelled';
/** Often enough that a heartbeat may be late twice. */
const KEEP_EVERY_MS = (HEARTBEAT_SECONDS * 1000) / 4;
/** Those that are taken up again after their worker has gone are not told of. */
const LOOK_EVERY_MS = 2_000;
const TIDY_EVERY_MS = 10_000;
/** A worker puts sound away in seconds; what it has not by then, it does not any more. */
const FINALIZED_WITHIN_MS = 120_000;
/** A row is stored with its job; one without has lost it, as after the move from one machine. */
const ENQUEUED_WITHIN_MS = 10_000;
/** As the runner of one machine says it. */
const ABANDONED_ATTEMPTS = 3;

export interface TakeJobsOptions extends JobQueueOptions {
  readonly database: PostgresDatabase;
  readonly boss: Boss;
  readonly jobs: JobStore;
  /** by prediction, of jobs that this process has */
  readonly claims: Map<string, Claim>;
}

/** Takes jobs of the queue while the runner has room, keeps them while it works on them, and gives them back when it must stop. */
export function createJobTaker(options: TakeJobsOptions) {
  const { database, boss, jobs, claims, log } = options;
  const runner = createRunner({ ...options, onRoom: () => void takeAll(), outlives: () => true });
  const progress = createProgressWriter(database, log);
  /** Accounts that have had a turn since the others had theirs. */
  const hadTurn: Readonly<Record<Lane, Set<string>>> = { short: new Set(), long: new Set() };
  const timers = new Set<NodeJS.Timeout>();
  const stops: (() => Promise<void>)[] = [];
  let register: Awaited<ReturnType<typeof registerWorker>> | null = null;
  let taking = false;
  let closing = false;

  /** One after the other, so that no more are taken than there is room for. */
  async function takeAll(): Promise<void> {
    if (taking || closing) return;
    taking = true;
    try {
      // Those of one lane take no room of the other.
      for (const lane of LANES) {
        while (!closing && (await takeOne(lane)));
      }
    } catch (error) {
      log.warn({ err: error }, 'no job could be taken; trying again');
    } finally {
      taking = false;
    }
  }

  async function takeOne(lane: Lane): Promise<boolean> {
    const full = runner.fullFor(lane);
    if (full === null) return false;
    const turns = hadTurn[lane];
    const claimBut = (accounts: Iterable<string>) => boss.claim(lane, [...new Set([...full, ...accounts])]);
    // First those who have nothing analysed here, then those who had no turn since the others.
    const holders = runner.accountsIn(lane);
    let claim = await claimBut([...turns, ...holders]);
    if (claim === null && holders.length > 0) claim = await claimBut(turns);
    if (claim === null && turns.size > 0) {
      turns.clear();
      claim = await claimBut([]);
    }
    if (claim === null) return false;
    if (claim.accountId !== null) turns.add(claim.accountId);
    if (claims.has(claim.id)) await takeFromItself(claim);
    else await begin(claim, lane);
    return true;
  }

  /** This process stood still for so long that it was taken for gone. */
  async function takeFromItself(claim: Claim): Promise<void> {
    runner.abandon(claim.id);
    await boss.handBack(claim);
  }

  async function begin(claim: Claim, lane: Lane): Promise<void> {
    claims.set(claim.id, claim);
    try {
      const job = await jobs.find(claim.id);
      if (job !== null) return void work(job, claim, lane);
      await boss.remove(claim.id);
      claims.delete(claim.id);
    } catch (error) {
      // Without a sign of life another worker takes it up.
      claims.delete(claim.id);
      throw error;
    }
  }

  async function work(job: Job, claim: Claim, lane: Lane): Promise<void> {
    const start = performance.now();
    const found = await runner.take(job, (now) => progress.report(job.id, now), lane);
    progress.forget(job.id);
    claims.delete(job.id);
    if (found?.state !== 'gaveWay') register?.noteJob((performance.now() - start) / 1000);
    if (found !== null && found.state !== 'gaveWay') return;
    // Neither does anything to one that another worker has, or that is gone.
    const returned = found === null ? boss.handBack(claim) : boss.requeue(claim, job, found.lane);
    await returned.catch((error: unknown) =>
      log.warn({ err: error, predictionId: job.id }, 'a job could not be returned; it will time out'),
    );
  }

  /** Stops what another worker has by now, and what was cancelled while this worker could not be told. */
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
    await enqueueLost();
  }

  async function abandon(id: string): Promise<void> {
    const job = await jobs.find(id);
    if (job === null) {
      await boss.remove(id);
      return;
    }
    const problem = { code: 'ANALYSIS_ABANDONED', details: { attempts: ABANDONED_ATTEMPTS } } as const;
    if (await jobs.fail(job, problem)) options.counts.countFailure(problem.code);
    await options.uploads.remove(job.uploadName);
  }

  async function enqueueLost(): Promise<void> {
    const lost = await boss.withoutJob(Date.now() - ENQUEUED_WITHIN_MS);
    for (const job of lost) await boss.enqueue(job, database.query);
  }

  /** Again and again, after a failure too. */
  function every(milliseconds: number, what: string, work: () => Promise<void>): void {
    let isWorking = false;
    const timer = setInterval(() => {
      if (isWorking) return;
      isWorking = true;
      work()
        .catch((error: unknown) => log.warn({ err: error }, `${what} failed; trying again`))
        .finally(() => {
          isWorking = false;
        });
    }, milliseconds);
    timers.add(timer);
  }

  return {
    get runningCount(): number {
      return runner.runningCount;
    },
    slotsHeld: runner.slotsHeld,

    async start(): Promise<void> {
      register = await registerWorker({ database, places: options.running, log });
      stops.push(register.close);
      const listen = async (...[channel, onNotification, onReconnected]: Parameters<PostgresDatabase['listen']>) =>
        stops.push(await database.listen(channel, onNotification, onReconnected));
      await listen(WAITING_CHANNEL, runner.wake, runner.wake);
      await listen(
        CANCELLED_CHANNEL,
        (id) => runner.stop(id),
        () => void keepAll().catch(() => {}),
      );
      every(KEEP_EVERY_MS, 'keeping jobs', keepAll);
      every(LOOK_EVERY_MS, 'looking for jobs', async () => runner.wake());
      every(TIDY_EVERY_MS, 'cleaning up after jobs', tidy);
      await tidy();
      runner.wake();
    },

    settled: runner.settled,

    /** Takes no more. */
    beginClosing(): void {
      closing = true;
    },

    /** Gives back what is not done. */
    async close(): Promise<void> {
      closing = true;
      for (const timer of timers) clearInterval(timer);
      await runner.close();
      await Promise.all(stops.map((stop) => stop()));
    },
  };
}
