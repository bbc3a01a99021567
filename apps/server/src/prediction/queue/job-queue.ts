import { setTimeout as sleep } from 'node:timers/promises';
import { AnalysisInterrupted, PredictionError } from '@chiffchaff/analysis';
import { HttpProblem } from '../../http/http-problem.ts';
import { storageProblemOf } from '../../http/storage-problem.ts';
import { unlessAborted } from '../connection.ts';
import type { PendingUpload } from '../incoming/incoming-uploads.ts';
import type { Answers } from '../stored/answers.ts';
import { createAdmission, type Permit } from './admission.ts';
import { type AnalyzeJobOptions, analyzeJob } from './analyze-job.ts';
import { createFairOrder } from './fair-order.ts';
import { CANCELLED, type Job, type JobOutcome, type JobProblem, type JobProgress, type JobWatcher } from './job.ts';
import type { NewJob } from './job-store.ts';
import { createSlots } from './slots.ts';

export interface JobQueueOptions extends AnalyzeJobOptions {
  readonly answers: Pick<Answers, 'jsonOf'>;
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

/** Recordings that have arrived whole and have no answer yet: their rows, and what this process knows of the work on them. */
export interface JobQueue {
  /**
   * To be asked before a body is read.
   *
   * @throws HttpProblem SERVER_BUSY when too many wait already, or too many of one account or network
   */
  requireRoom: ReturnType<typeof createAdmission>['check'];
  /** @throws what `JobStore.accept` throws */
  add(job: NewJob & { readonly pending: PendingUpload }): Promise<AcceptedJob>;
  /** Tells progress and outcome of a prediction, the latest first, until the signal aborts. */
  follow(id: string, watcher: JobWatcher, signal: AbortSignal): void;
  /** null when the job waits, or is none */
  progressOf(id: string): JobProgress | null;
  /** Whether a job waits because other recordings are analysed. */
  isBehindOthers(id: string): boolean;
  /** Stops a job for good. @returns false when there was no such job any more */
  cancel(id: string): Promise<boolean>;
  /** The same for a job whose row has been removed. */
  drop(id: string): Promise<void>;
  /** Takes up jobs of an earlier run, and begins to work. */
  start(jobs: readonly Job[]): void;
  /** Accepts nothing more; what is under way goes on. */
  beginClosing(): void;
  /** Stops what is running; jobs with a key stay in the database for the next start. */
  close(): Promise<void>;
}

/** A job, from when it is accepted to its outcome. */
interface Entry {
  readonly job: Job;
  readonly permit: Permit;
  readonly watchers: Set<JobWatcher>;
  readonly outcome: PromiseWithResolvers<JobOutcome>;
  progress: JobProgress | null;
  run: { readonly controller: AbortController; readonly ended: Promise<void> } | null;
  /** times that the analysis process died of it for certain; also in the row */
  attempts: number;
  /** deaths of the analysis process that it was part of since its last checkpoint */
  deaths: number;
}

/** So often the analysis process may die while it works on one recording alone that gets no further. */
export const MAX_CERTAIN_DEATHS = 3;
/** From so many deaths on, a recording that was part of them runs alone. */
const SUSPECTED_AFTER_DEATHS = 2;
/** From here on a recording counts as large: a quarter of an hour of MP3, half a minute of the best WAV. */
const LARGE_BYTES = 8_000_000;
/** How soon a model that is missing is looked for again while jobs wait for it. */
const LOOK_FOR_MODEL_MS = 5_000;
/** How soon an answer is opened again when too many are being opened. */
const OPEN_AGAIN_MS = 2_000;

const isLarge = ({ bytes }: Job): boolean => bytes > LARGE_BYTES;
const isSuspect = ({ attempts, deaths }: Entry): boolean => attempts > 0 || deaths >= SUSPECTED_AFTER_DEATHS;

export function createJobQueue(options: JobQueueOptions): JobQueue {
  const { jobs, analyzers, answers, counts, uploads, log, running, waiting } = options;
  const admission = createAdmission({ running, waiting });
  const slots = createSlots(running, () => wake());
  const fairOrder = createFairOrder();
  const entries = new Map<string, Entry>();
  let closed = false;
  let wakesUp: NodeJS.Immediate | undefined;
  let looksForModel: NodeJS.Timeout | undefined;
  const allRunning = (): Entry[] => [...entries.values()].filter(({ run }) => run !== null);
  counts.observeWork(() => {
    const inWork = allRunning().length;
    return { waiting: entries.size - inWork, running: inWork };
  });

  function enter(job: Job, permit: Permit): Entry {
    const outcome = Promise.withResolvers<JobOutcome>();
    const { attempts } = job;
    const entry: Entry = { job, permit, watchers: new Set(), outcome, progress: null, run: null, attempts, deaths: 0 };
    entries.set(job.id, entry);
    wake();
    return entry;
  }

  function end(entry: Entry, outcome: JobOutcome): void {
    if (!entries.delete(entry.job.id)) return;
    entry.permit.release();
    entry.outcome.resolve(outcome);
    for (const watcher of entry.watchers) watcher.onOutcome(outcome);
    entry.watchers.clear();
  }

  function report(entry: Entry, progress: JobProgress): void {
    entry.progress = progress;
    for (const { onProgress } of entry.watchers) onProgress?.(progress);
  }

  /** Looks for work when everything that happens now has happened: a death of the analysis process ends many jobs at once. */
  function wake(): void {
    if (closed || wakesUp !== undefined) return;
    wakesUp = setImmediate(() => {
      wakesUp = undefined;
      beginAll().catch((error: unknown) => log.error({ err: error }, 'jobs could not be begun'));
    });
  }

  async function beginAll(): Promise<void> {
    if (next() === null) return;
    // Without a model nothing can be answered; jobs wait for it rather than fail.
    if ((await analyzers.get().catch(() => null)) === null) {
      clearTimeout(looksForModel);
      looksForModel = setTimeout(wake, LOOK_FOR_MODEL_MS).unref();
      return;
    }
    for (let entry = next(); entry !== null; entry = next()) begin(entry);
  }

  function next(): Entry | null {
    if (closed) return null;
    const inWork = allRunning();
    const free = [...entries.values()].filter(({ run }) => run === null);
    const suspect = [...inWork, ...free].find(isSuspect);
    // Suspects go first and alone, so that what ends the process is known for certain.
    if (suspect !== undefined) return inWork.length === 0 ? suspect : null;
    if (!slots.free.any) return null;
    const ordered = fairOrder.order(free.map(({ job }) => job));
    const job = ordered.find((one) => slots.free.large || !isLarge(one));
    return job === undefined ? null : (entries.get(job.id) ?? null);
  }

  function begin(entry: Entry): void {
    const { job } = entry;
    const controller = new AbortController();
    const leave = slots.enter(isLarge(job));
    const start = performance.now();
    fairOrder.note(job.accountId, Date.now());
    report(entry, { stage: 'listening', fraction: null, detections: [] });
    const ended = work(entry, controller.signal)
      .catch((error: unknown): JobOutcome => {
        log.error({ err: error, predictionId: job.id }, 'a job could not be brought to its end');
        return { state: 'failed', problem: problemOf(error, job) };
      })
      .then((outcome) => {
        entry.run = null;
        entry.progress = null;
        if (outcome !== null) end(entry, outcome);
        admission.noteJob((performance.now() - start) / 1000);
        leave();
      });
    entry.run = { controller, ended };
  }

  /** @returns null when the job is to be done again, now or by the next start */
  async function work(entry: Entry, signal: AbortSignal): Promise<JobOutcome | null> {
    const { job } = entry;
    const isAlone = isSuspect(entry);
    let hasCheckpoint = false;
    try {
      const text = await analyzeJob(options, job, {
        signal,
        onProgress: (progress) => report(entry, progress),
        onCheckpoint() {
          hasCheckpoint = true;
          clearSuspicion(entry);
        },
      });
      return text === null ? await cancelled(job) : { state: 'done', text };
    } catch (error) {
      if (signal.aborted) {
        if (closed && job.idempotencyKey !== null) return null;
        if (closed) await jobs.discard(job.id);
        return cancelled(job);
      }
      if (error instanceof AnalysisInterrupted) {
        if (!error.fromOutside) await countDeath(entry, isAlone && !hasCheckpoint);
        if (entry.attempts < MAX_CERTAIN_DEATHS) return null;
        return fail(job, { code: 'ANALYSIS_ABANDONED', details: { attempts: MAX_CERTAIN_DEATHS } });
      }
      const problem = problemOf(error, job);
      // What lies in the recording itself is no news for an operator.
      if (!(error instanceof PredictionError) || problem.code === 'DECODER_FAILED')
        log.error({ err: error, predictionId: job.id }, 'unexpected error');
      return fail(job, problem);
    }
  }

  async function countDeath(entry: Entry, isCertain: boolean): Promise<void> {
    const { id } = entry.job;
    entry.deaths += 1;
    if (isCertain) {
      entry.attempts += 1;
      await jobs.setAttempts(id, entry.attempts);
    }
    const { deaths, attempts } = entry;
    log.warn({ predictionId: id, deaths, attempts }, 'the analysis process died while it worked on a recording');
  }

  /** The recording has got on: what ends the process from now on counts anew. */
  function clearSuspicion(entry: Entry): void {
    entry.deaths = 0;
    if (entry.attempts === 0) return;
    entry.attempts = 0;
    jobs
      .setAttempts(entry.job.id, 0)
      .catch((error: unknown) => log.error({ err: error }, 'the attempts of a job could not be cleared'));
  }

  async function fail(job: Job, problem: JobProblem): Promise<JobOutcome> {
    if (!(await jobs.fail(job, problem))) return cancelled(job);
    counts.countFailure(problem.code);
    await uploads.remove(job.uploadName);
    return { state: 'failed', problem };
  }

  /** Its row has been removed. */
  async function cancelled({ uploadName }: Job): Promise<JobOutcome> {
    await uploads.remove(uploadName);
    return CANCELLED;
  }

  async function drop(id: string): Promise<void> {
    const entry = entries.get(id);
    if (entry === undefined) return;
    entry.run?.controller.abort(new DOMException('The prediction was cancelled', 'AbortError'));
    if (entry.run === null) end(entry, CANCELLED);
    await uploads.remove(entry.job.uploadName);
  }

  async function cancel(id: string): Promise<boolean> {
    if (!(await jobs.discard(id))) return false;
    await drop(id);
    return true;
  }

  /** What came of a prediction that may be no job any more. */
  async function storedOutcome(id: string, signal: AbortSignal): Promise<JobOutcome> {
    const outcome = await jobs.outcomeOf(id);
    if (outcome === 'inWork') return entries.get(id)?.outcome.promise ?? CANCELLED;
    if (outcome?.state !== 'done') return outcome ?? CANCELLED;
    for (;;) {
      try {
        return { state: 'done', text: await answers.jsonOf(outcome.row) };
      } catch (error) {
        if (!(error instanceof HttpProblem)) throw error;
        if (error.code === 'NOT_FOUND') return CANCELLED;
        // Too many answers of the account are being opened.
        await sleep(OPEN_AGAIN_MS, undefined, { signal });
      }
    }
  }

  const outcomeOf = (id: string, signal: AbortSignal): Promise<JobOutcome> =>
    entries.get(id)?.outcome.promise ?? storedOutcome(id, signal);

  return {
    requireRoom: admission.check,

    async add(newJob) {
      const { pending } = newJob;
      // Before the row is there, so that what is accepted at the same time is counted.
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
        unlessAborted(storedOutcome(id, signal), signal).then(watcher.onOutcome, (error: unknown) => {
          if (!signal.aborted) log.error({ err: error, predictionId: id }, 'a prediction could not be looked at');
        });
        return;
      }
      entry.watchers.add(watcher);
      signal.addEventListener('abort', () => entry.watchers.delete(watcher), { once: true });
      if (entry.progress !== null) watcher.onProgress?.(entry.progress);
    },

    progressOf: (id) => entries.get(id)?.progress ?? null,
    isBehindOthers(id) {
      const entry = entries.get(id);
      if (entry === undefined || entry.run !== null) return false;
      if ([...entries.values()].some(isSuspect)) return true;
      return !(isLarge(entry.job) ? slots.free.large : slots.free.any);
    },
    cancel,
    drop,

    start(left) {
      for (const job of left) enter(job, admission.take({ accountId: job.accountId, network: null }));
    },

    beginClosing: admission.close,

    async close() {
      closed = true;
      clearImmediate(wakesUp);
      clearTimeout(looksForModel);
      const runs = allRunning().flatMap(({ run }) => run ?? []);
      for (const { controller } of runs) controller.abort(new DOMException('The server stops', 'AbortError'));
      await Promise.all(runs.map(({ ended }) => ended));
    },
  };
}

function problemOf(error: unknown, { id }: Job): JobProblem {
  const known = storageProblemOf(error) ?? error;
  if (known instanceof PredictionError || known instanceof HttpProblem) return { code: known.code, details: known.details };
  return { code: 'INTERNAL', details: { reference: id } };
}
