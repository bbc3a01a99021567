import { unlessAborted } from '../../unless-aborted.ts';
import { createAdmission, type Permit } from './admission.ts';
import { finalizeLeft } from './analyze-job.ts';
import { createFairOrder } from './fair-order.ts';
import { CANCELLED, type Job, type JobOutcome, type JobProgress, type JobWatcher, tellWatchers, waitingProgress } from './job.ts';
import { type JobQueue, type JobQueueOptions, storedOutcome } from './job-queue.ts';
import type { JobStore } from './job-store.ts';
import { createRunner } from './runner.ts';
import { type Lane, laneOf } from './slots.ts';

/** A job, from when it is accepted to its outcome. */
interface Entry {
  readonly job: Job;
  /** where it waits */
  lane: Lane;
  readonly permit: Permit;
  readonly watchers: Set<JobWatcher>;
  readonly outcome: PromiseWithResolvers<JobOutcome>;
  progress: JobProgress | null;
}

/** The queue of one process: waiting jobs are in memory as well as in rows, and unfinished ones resume at startup. */
export function createLocalQueue(options: JobQueueOptions & { readonly jobs: JobStore }): JobQueue {
  const { jobs, answers, counts, uploads, log, running, waiting } = options;
  const admission = createAdmission({ running, waiting });
  const fairOrder = createFairOrder();
  const entries = new Map<string, Entry>();
  /** jobs that the runner does not have: new ones in order of arrival, then those that gave way */
  const notTaken = new Map<string, Job>();
  const runner = createRunner({ ...options, onRoom: takeAll, outlives: ({ idempotencyKey }) => idempotencyKey !== null });
  const laneNow = (job: Job): Lane => entries.get(job.id)?.lane ?? laneOf(job);
  counts.observeWork(() => ({
    waiting: entries.size - runner.runningCount,
    running: runner.runningCount,
    slotsHeld: runner.slotsHeld(),
  }));

  function enter(job: Job, permit: Permit): Entry {
    const outcome = Promise.withResolvers<JobOutcome>();
    const entry: Entry = { job, lane: laneOf(job), permit, watchers: new Set(), outcome, progress: null };
    entries.set(job.id, entry);
    notTaken.set(job.id, job);
    runner.wake();
    return entry;
  }

  function takeAll(): void {
    for (let job = next(); job !== null; job = next()) take(job);
  }

  function next(): Job | null {
    const jobsLeft = [...notTaken.values()];
    // The runner takes suspects at any time, and runs them alone.
    const suspect = jobsLeft.find(({ attempts }) => attempts > 0);
    if (suspect !== undefined) return suspect;
    const inOrder = fairOrder.order(jobsLeft, (job) => runner.heldBy(job, laneNow(job)));
    const first = inOrder.find((job) => runner.hasRoomFor(job, laneNow(job))) ?? null;
    if (first === null) for (const job of inOrder) runner.makeRoomFor(job, laneNow(job));
    return first;
  }

  function take(job: Job): void {
    const entry = entries.get(job.id);
    notTaken.delete(job.id);
    if (entry === undefined) return;
    const start = performance.now();
    fairOrder.note(job.accountId, Date.now());
    void runner
      .take(job, (progress) => report(entry, progress), entry.lane)
      .then((found) => {
        entry.progress = null;
        if (found?.state === 'gaveWay') return waitAgain(entry, found.lane);
        if (found !== null) end(entry, found);
        admission.noteJob((performance.now() - start) / 1000);
      });
  }

  function waitAgain(entry: Entry, lane: Lane): void {
    entry.lane = lane;
    notTaken.set(entry.job.id, entry.job);
    runner.wake();
  }

  function end(entry: Entry, outcome: JobOutcome): void {
    const { id } = entry.job;
    notTaken.delete(id);
    if (!entries.delete(id)) return;
    entry.permit.release();
    entry.outcome.resolve(outcome);
    tellWatchers(entry.watchers, log, ({ onOutcome }) => onOutcome(outcome));
    entry.watchers.clear();
  }

  function report(entry: Entry, progress: JobProgress | null): void {
    entry.progress = progress;
    if (progress === null) return;
    tellWatchers(entry.watchers, log, ({ onProgress }) => onProgress?.(progress));
  }

  /** A job that was running when the analysis process died is waiting again. */
  function progressNow({ job, progress }: Entry): JobProgress {
    return progress ?? waitingProgress(!runner.isRunning(job.id) && !runner.hasRoomFor(job, laneNow(job)));
  }

  async function drop(id: string): Promise<void> {
    const entry = entries.get(id);
    if (entry === undefined) return;
    if (notTaken.has(id)) end(entry, CANCELLED);
    else runner.stop(id);
    await uploads.remove(entry.job.uploadName);
  }

  async function cancel(id: string): Promise<boolean> {
    if ((await jobs.discard(id)) === null) return false;
    await drop(id);
    return true;
  }

  /** The outcome of a prediction that may no longer be a job. */
  async function outcomeInRow(id: string, signal: AbortSignal): Promise<JobOutcome> {
    const outcome = await jobs.outcomeOf(id);
    if (outcome === 'inWork') return entries.get(id)?.outcome.promise ?? CANCELLED;
    if (outcome?.state !== 'done') return outcome ?? CANCELLED;
    return storedOutcome(answers, outcome.row, signal);
  }

  const outcomeOf = (id: string, signal: AbortSignal): Promise<JobOutcome> =>
    entries.get(id)?.outcome.promise ?? outcomeInRow(id, signal);

  return {
    requireRoom: async (sender) => admission.check(sender),

    async add(newJob) {
      const { pending } = newJob;
      // Before the row exists, so that recordings accepted concurrently are counted.
      const permit = admission.take(pending.sender);
      const accepted = await jobs.accept(newJob).catch((error: unknown) => {
        permit.release();
        throw error;
      });
      if ('known' in accepted) {
        permit.release();
        const { known: id } = accepted;
        return { id, isNew: false, outcome: (signal) => unlessAborted(outcomeOf(id, signal), signal) };
      }
      pending.keep();
      const { job } = accepted;
      const { outcome } = enter(job, permit);
      return {
        id: job.id,
        isNew: true,
        async outcome(signal) {
          try {
            return await unlessAborted(outcome.promise, signal);
          } catch (error) {
            if (job.idempotencyKey === null) await cancel(job.id);
            throw error;
          }
        },
      };
    },

    follow(id, watcher, signal) {
      if (signal.aborted) return;
      const entry = entries.get(id);
      if (entry === undefined) {
        unlessAborted(outcomeInRow(id, signal), signal).then(watcher.onOutcome, (error: unknown) => {
          if (!signal.aborted) log.error({ err: error, predictionId: id }, 'a prediction could not be checked');
        });
        return;
      }
      entry.watchers.add(watcher);
      signal.addEventListener('abort', () => entry.watchers.delete(watcher), { once: true });
      watcher.onProgress?.(progressNow(entry));
    },

    progressOf: async (ids) =>
      new Map(
        ids.flatMap((id) => {
          const entry = entries.get(id);
          return entry === undefined ? [] : [[id, progressNow(entry)]];
        }),
      ),
    cancel,
    drop,

    async start() {
      const left = await jobs.loadLeftovers();
      await uploads.removeAllBut(new Set([...left.jobs, ...left.answered].map(({ uploadName }) => uploadName)));
      for (const upload of left.answered) await finalizeLeft(options, upload);
      for (const job of left.jobs) enter(job, admission.take({ accountId: job.accountId, network: null }));
    },

    async settled() {
      while (entries.size > 0) await Promise.all([...entries.values()].map(({ outcome }) => outcome.promise));
      await runner.settled();
    },
    beginClosing: admission.close,
    close: runner.close,
  };
}
