import { AnalysisInterrupted, PredictionError } from '@chiffchaff/analysis';
import { HttpProblem } from '../../http/http-problem.ts';
import { storageProblemOf } from '../../http/storage-problem.ts';
import { type AnalyzeJobOptions, analyzeJob } from './analyze-job.ts';
import { CANCELLED, type Job, type JobOutcome, type JobProblem, type JobProgress } from './job.ts';
import { JobTakenAway } from './job-store.ts';
import { createSlots, isLarge } from './slots.ts';

export interface RunnerOptions extends AnalyzeJobOptions {
  /** recordings that are analysed at once, besides long ones */
  readonly running: number;
  /** Told when another job may be taken, as far as there is one. */
  readonly onRoom: () => void;
  /** Whether a job that is broken off by `close` goes on elsewhere or later; else it ends with this process. */
  readonly outlives: (job: Job) => boolean;
}

/** Told how far a job is while it is analysed; null when it has to wait again. */
export type RunReport = (progress: JobProgress | null) => void;

/** A job in hand, from when it is taken to its outcome. */
interface Entry {
  readonly job: Job;
  readonly report: RunReport;
  readonly outcome: PromiseWithResolvers<JobOutcome | null>;
  run: { readonly controller: AbortController; readonly ended: Promise<void> } | null;
  /** times that the analysis process died of it for certain; also in the row */
  attempts: number;
  /** deaths of the analysis process that it was part of since its last checkpoint */
  deaths: number;
  /** another worker has it */
  isLost: boolean;
}

/** So often the analysis process may die while it works on one recording alone that gets no further. */
export const MAX_CERTAIN_DEATHS = 3;
/** From so many deaths on, a recording that was part of them runs alone. */
const SUSPECTED_AFTER_DEATHS = 2;
/** Interval between checks for a missing model. */
const LOOK_FOR_MODEL_MS = 5_000;

const isSuspect = ({ attempts, deaths }: Entry): boolean => attempts > 0 || deaths >= SUSPECTED_AFTER_DEATHS;

/**
 * Analyses recordings in this process' analysis process, as many at once as there are slots, and finds those that end it. Which jobs there are
 * and who waits for them is the queue's.
 */
export function createRunner(options: RunnerOptions) {
  const { jobs, analyzers, counts, uploads, log, running, onRoom, outlives } = options;
  const slots = createSlots(running, () => wake());
  const inHand = new Map<string, Entry>();
  let closed = false;
  let wakesUp: NodeJS.Immediate | undefined;
  let looksForModel: NodeJS.Timeout | undefined;
  const allRunning = (): Entry[] => [...inHand.values()].filter(({ run }) => run !== null);
  const hasSuspect = (): boolean => [...inHand.values()].some(isSuspect);

  /** Looks for work when everything that happens now has happened: a death of the analysis process ends many jobs at once. */
  function wake(): void {
    if (closed || wakesUp !== undefined) return;
    wakesUp = setImmediate(() => {
      wakesUp = undefined;
      beginAll().catch((error: unknown) => log.error({ err: error }, 'jobs could not be started'));
    });
  }

  async function beginAll(): Promise<void> {
    // Without a model nothing can be answered; jobs wait for it rather than fail.
    if ((await analyzers.get().catch(() => null)) === null) {
      clearTimeout(looksForModel);
      looksForModel = setTimeout(wake, LOOK_FOR_MODEL_MS).unref();
      return;
    }
    beginOwn();
    if (!closed) onRoom();
  }

  function beginOwn(): void {
    for (let entry = next(); entry !== null; entry = next()) begin(entry);
  }

  function next(): Entry | null {
    if (closed) return null;
    const entries = [...inHand.values()];
    const inWork = allRunning();
    const suspect = [...inWork, ...entries].find(isSuspect);
    // Suspects go first and alone, so that what ends the process is known for certain.
    if (suspect !== undefined) return inWork.length === 0 ? suspect : null;
    return entries.find(({ job, run }) => run === null && hasSlotFor(job)) ?? null;
  }

  const hasSlotFor = (job: Pick<Job, 'bytes'>): boolean => (isLarge(job) ? slots.free.large : slots.free.any);

  function begin(entry: Entry): void {
    const { job } = entry;
    const controller = new AbortController();
    const leave = slots.enter(isLarge(job));
    entry.report({ stage: 'listening', fraction: null, behindOthers: false, detections: [] });
    const ended = work(entry, controller.signal)
      .catch((error: unknown): JobOutcome => {
        log.error({ err: error, predictionId: job.id }, 'a job could not be finished');
        return { state: 'failed', problem: problemOf(error, job) };
      })
      .then((outcome) => {
        entry.run = null;
        if (outcome === 'again') entry.report(null);
        else end(entry, outcome);
        leave();
      });
    entry.run = { controller, ended };
  }

  function end(entry: Entry, outcome: JobOutcome | null): void {
    inHand.delete(entry.job.id);
    entry.outcome.resolve(outcome);
  }

  /** @returns `again` when the analysis process died; null when it goes on elsewhere or later */
  async function work(entry: Entry, signal: AbortSignal): Promise<JobOutcome | 'again' | null> {
    const { job } = entry;
    const isAlone = isSuspect(entry);
    let hasCheckpoint = false;
    try {
      const text = await analyzeJob(options, job, {
        signal,
        onProgress: entry.report,
        onCheckpoint() {
          hasCheckpoint = true;
          clearSuspicion(entry);
        },
      });
      return text === null ? await cancelled(job) : { state: 'done', text };
    } catch (error) {
      if (entry.isLost || error instanceof JobTakenAway) return null;
      if (signal.aborted) {
        if (closed && outlives(job)) return null;
        if (closed) await jobs.discard(job.id);
        return cancelled(job);
      }
      if (error instanceof AnalysisInterrupted) {
        if (!error.fromOutside) await countDeath(entry, isAlone && !hasCheckpoint);
        if (entry.attempts < MAX_CERTAIN_DEATHS) return closed ? null : 'again';
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
    log.warn({ predictionId: id, deaths, attempts }, 'the analysis process died while working on a recording');
  }

  /** The recording has got on: what ends the process from now on counts anew. */
  function clearSuspicion(entry: Entry): void {
    entry.deaths = 0;
    if (entry.attempts === 0) return;
    entry.attempts = 0;
    jobs
      .setAttempts(entry.job.id, 0)
      .catch((error: unknown) => log.error({ err: error }, 'the attempts of a job could not be reset'));
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

  return {
    /** Whether a job would be begun at once. */
    hasRoomFor: (job: Pick<Job, 'bytes'>): boolean => !hasSuspect() && hasSlotFor(job),
    isRunning: (id: string): boolean => (inHand.get(id)?.run ?? null) !== null,
    get runningCount(): number {
      return allRunning().length;
    },
    /** Has `onRoom` called, soon and once, when there may be room. */
    wake,

    /**
     * Analyses a recording, at once when there is room; again when the analysis process dies of another one.
     *
     * @returns its outcome; null when it is done elsewhere or later
     */
    take(job: Job, report: RunReport): Promise<JobOutcome | null> {
      const outcome = Promise.withResolvers<JobOutcome | null>();
      inHand.set(job.id, { job, report, outcome, run: null, attempts: job.attempts, deaths: 0, isLost: false });
      beginOwn();
      return outcome.promise;
    },

    /** Breaks off a job whose row has been removed, if it is in hand. */
    stop(id: string): void {
      const entry = inHand.get(id);
      if (entry === undefined) return;
      entry.run?.controller.abort(new DOMException('The prediction was cancelled', 'AbortError'));
      if (entry.run === null) end(entry, CANCELLED);
    },

    /** Breaks off a job that another worker has by now, if it is in hand. */
    abandon(id: string): void {
      const entry = inHand.get(id);
      if (entry === undefined) return;
      entry.isLost = true;
      entry.run?.controller.abort(new DOMException('Another worker has the job', 'AbortError'));
      if (entry.run === null) end(entry, null);
    },

    /** Resolves when nothing is in hand. */
    async settled(): Promise<void> {
      while (inHand.size > 0) await Promise.all([...inHand.values()].map(({ outcome }) => outcome.promise));
    },

    /** Breaks off everything. */
    async close(): Promise<void> {
      closed = true;
      clearImmediate(wakesUp);
      clearTimeout(looksForModel);
      const runs = allRunning().flatMap(({ run }) => run ?? []);
      for (const { controller } of runs) controller.abort(new DOMException('The server is stopping', 'AbortError'));
      await Promise.all(runs.map(({ ended }) => ended));
      for (const entry of inHand.values()) end(entry, null);
    },
  };
}

function problemOf(error: unknown, { id }: Job): JobProblem {
  const known = storageProblemOf(error) ?? error;
  if (known instanceof PredictionError || known instanceof HttpProblem) return { code: known.code, details: known.details };
  return { code: 'INTERNAL', details: { reference: id } };
}
