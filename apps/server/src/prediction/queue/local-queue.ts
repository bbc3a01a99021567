import type { Database } from '../../database/database.ts';
import { unlessAborted } from '../../unless-aborted.ts';
import { createAdmission, createJobTime } from './admission.ts';
import { finalizeLeft } from './analyze-job.ts';
import { CANCELLED, type Job, type JobOutcome, type JobProgress, type JobWatcher, tellWatchers, waitingProgress } from './job.ts';
import { acceptJob, type JobQueue, type JobQueueOptions, storedOutcome } from './job-queue.ts';
import type { JobStore } from './job-store.ts';
import { createRunner } from './runner.ts';

/** A job, from when it is accepted to its outcome. */
interface Entry {
  readonly job: Job;
  readonly watchers: Set<JobWatcher>;
  readonly outcome: PromiseWithResolvers<JobOutcome>;
  progress: JobProgress | null;
}

/** The queue of one process: waiting jobs are in memory as well as in rows, and unfinished ones resume at startup. */
export function createLocalQueue(
  options: JobQueueOptions & { readonly jobs: JobStore; readonly database: Pick<Database, 'query'> },
): JobQueue {
  const { jobs, answers, counts, uploads, log, running, waiting, database } = options;
  const jobTime = createJobTime();
  const workers = () => ({ places: running, jobSeconds: jobTime.seconds });
  const admission = createAdmission({ query: database.query, waiting, workers });
  const entries = new Map<string, Entry>();
  /** jobs that the runner does not have: new ones in order of arrival, then those that gave way */
  const notTaken = new Map<string, Job>();
  const runner = createRunner({ ...options, onRoom: takeAll, outlives: ({ idempotencyKey }) => idempotencyKey !== null });
  counts.observeWork(() => ({
    waiting: entries.size - runner.runningCount,
    running: runner.runningCount,
    slotsHeld: runner.slotsHeld(),
  }));

  function enter(job: Job): Entry {
    const outcome = Promise.withResolvers<JobOutcome>();
    const entry: Entry = { job, watchers: new Set(), outcome, progress: null };
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
    const inOrder = runner.order(jobsLeft);
    const first = inOrder.find(runner.hasRoomFor) ?? null;
    if (first === null) for (const job of inOrder) runner.makeRoomFor(job);
    return first;
  }

  function take(job: Job): void {
    const entry = entries.get(job.id);
    notTaken.delete(job.id);
    if (entry === undefined) return;
    const start = performance.now();
    void runner
      .take(job, (progress) => report(entry, progress))
      .then((found) => {
        entry.progress = null;
        if (found === 'gaveWay') {
          notTaken.set(job.id, job);
          return runner.wake();
        }
        if (found !== null) end(entry, found);
        jobTime.note((performance.now() - start) / 1000);
      });
  }

  function end(entry: Entry, outcome: JobOutcome): void {
    const { id } = entry.job;
    notTaken.delete(id);
    if (!entries.delete(id)) return;
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
    return progress ?? waitingProgress(!runner.isRunning(job.id) && !runner.hasRoomFor(job));
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
    unlessAborted(entries.get(id)?.outcome.promise ?? outcomeInRow(id, signal), signal);

  function begin(job: Job) {
    const { promise } = enter(job).outcome;
    return (signal: AbortSignal): Promise<JobOutcome> => unlessAborted(promise, signal);
  }

  return {
    requireRoom: admission.check,

    add: (newJob) => acceptJob(jobs, newJob, outcomeOf, begin, cancel),

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
      for (const upload of await jobs.notFinalized(Number.MAX_SAFE_INTEGER)) await finalizeLeft(options, upload);
      for (const job of left) enter(job);
    },

    async settled() {
      while (entries.size > 0) await Promise.all([...entries.values()].map(({ outcome }) => outcome.promise));
      await runner.settled();
    },
    beginClosing: admission.close,
    close: runner.close,
  };
}
