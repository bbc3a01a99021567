import { createHmac, randomBytes } from 'node:crypto';
import { AnalysisInterrupted, PredictionError } from '@chiffchaff/analysis';
import { HttpProblem } from '../../http/http-problem.ts';
import { storageProblemOf } from '../../http/storage-problem.ts';
import type { Missing } from '../model-loader.ts';
import { type AnalyzeJobOptions, analyzeJob } from './analyze-job.ts';
import { CANCELLED, type Job, type JobOutcome, type JobProblem, type JobProgress } from './job.ts';
import { JobTakenAway } from './job-store.ts';
import { createTurns, ownerOf, type Slot } from './turns.ts';

export interface RunnerOptions extends AnalyzeJobOptions {
  /** recordings that are analysed concurrently, unless more owners wait */
  readonly running: number;
  /** Called when another job may be taken, if there is one. */
  readonly onRoom: () => void;
  /** Whether a job that `close` interrupts continues elsewhere or later. Otherwise it ends with this process. */
  readonly outlives: (job: Job) => boolean;
}

/** Receives the progress of a running job; null when it has to wait again. */
export type RunReport = (progress: JobProgress | null) => void;

/**
 * How a job leaves this runner: `gaveWay` when it left its slot to another and waits again, to resume from its checkpoint; null when it
 * continues elsewhere or later.
 */
export type RunEnd = JobOutcome | 'gaveWay' | null;

/** A job of this runner, from when it is taken to its end. */
interface Entry {
  readonly job: Job;
  readonly report: RunReport;
  readonly end: PromiseWithResolvers<RunEnd>;
  run: { readonly controller: AbortController; readonly slot: Slot; readonly ended: Promise<void> } | null;
  /** How it ends after its run: as cancelled, or null when another worker has it. Otherwise undefined. */
  endsAs: JobOutcome | null | undefined;
  /** how often the analysis process certainly died because of it; also in the row */
  attempts: number;
  /** deaths of the analysis process while this ran, since its last checkpoint */
  deaths: number;
  /** how long it may run alone before the others' turn */
  aloneMs: number;
  /** It does not start before this time. */
  restsUntilMs: number;
}

/** A recording is given up after this many deaths of the analysis process while it ran alone and made no progress. */
export const MAX_CERTAIN_DEATHS = 3;
/** After this many deaths while it ran, a recording runs alone until it makes progress. */
const SUSPECTED_AFTER_DEATHS = 2;
/** How long a suspect runs alone at first. Without progress, its next turn is twice as long. */
const ALONE_MS = 5_000;
const MOST_ALONE_MS = 60_000;
/** How long the others run before the next suspect's turn. */
const OTHERS_MS = 10_000;
/** Interval between checks for a missing model. */
const LOOK_FOR_MODEL_MS = 5_000;
/** What an analysis process that was started again may lack. */
const LACKING: ReadonlySet<string> = new Set<Missing>(['MODEL_NOT_INSTALLED', 'MODEL_DAMAGED', 'DECODER_NOT_INSTALLED']);
/** The delay before a job whose end could not be stored starts again. */
const STORE_AGAIN_MS = 5_000;

/** Reasons for interrupting a run that will resume from its checkpoint, in this runner or in the queue. */
const FOR_SUSPECT = new Error('Another recording has to run alone');
const FOR_OTHER_OWNER = new Error('Another recording needs the slot');

const isSuspect = ({ attempts, deaths }: Entry): boolean => attempts > 0 || deaths >= SUSPECTED_AFTER_DEATHS;

/**
 * Analyses recordings in this process's analysis process, as many concurrently as there are slots, and finds those that kill it. The queue
 * knows which jobs exist and who waits for them.
 */
export function createRunner(options: RunnerOptions) {
  const { jobs, modelLoader, counts, uploads, log, running, onRoom, outlives } = options;
  const turns = createTurns({ count: running, onFree: () => wake() });
  /** Hides owners from the analysis process: it can tell them apart, but does not learn who they are. */
  const secret = randomBytes(32);
  const entries = new Map<string, Entry>();
  let closed = false;
  let wakesUp: NodeJS.Immediate | undefined;
  let wakesLater: { readonly timer: NodeJS.Timeout; readonly atMs: number } | null = null;
  /** the suspect whose turn it is, and the timer that ends its turn */
  let alone: { readonly entry: Entry; readonly timer: NodeJS.Timeout } | null = null;
  let othersUntilMs = 0;
  const allRunning = (): Entry[] => [...entries.values()].filter(({ run }) => run !== null);
  const suspects = (): Entry[] => [...entries.values()].filter((entry) => entry.run === null && isSuspect(entry));
  /** Whether nothing else may start, because a suspect runs alone or is about to. */
  const isReserved = (): boolean => alone !== null || (suspects().length > 0 && performance.now() >= othersUntilMs);

  /** Looks for work after the current events: one death of the analysis process ends many jobs. */
  function wake(): void {
    if (closed || wakesUp !== undefined) return;
    wakesUp = setImmediate(() => {
      wakesUp = undefined;
      beginAll().catch((error: unknown) => log.error({ err: error }, 'jobs could not be started'));
    });
  }

  function wakeAt(atMs: number): void {
    if (wakesLater !== null && wakesLater.atMs <= atMs) return;
    clearTimeout(wakesLater?.timer);
    const timer = setTimeout(() => {
      wakesLater = null;
      wake();
    }, atMs - performance.now()).unref();
    wakesLater = { timer, atMs };
  }

  async function beginAll(): Promise<void> {
    // Without a model, jobs wait rather than fail.
    if ((await modelLoader.get().catch(() => null)) === null) return wakeAt(performance.now() + LOOK_FOR_MODEL_MS);
    beginOwn();
    if (closed) return;
    onRoom();
    const [suspect] = suspects();
    if (suspect === undefined || alone !== null) return;
    // No other job wants to run.
    if (allRunning().length === 0) beginAlone(suspect);
    else wakeAt(othersUntilMs);
  }

  function beginOwn(): void {
    if (closed || alone !== null) return;
    const [suspect] = suspects();
    if (suspect !== undefined && isReserved()) {
      for (const entry of allRunning()) breakOff(entry, FOR_SUSPECT);
      if (allRunning().length === 0) beginAlone(suspect);
      return;
    }
    const now = performance.now();
    for (const entry of entries.values()) {
      if (entry.run !== null || isSuspect(entry)) continue;
      if (entry.restsUntilMs > now) wakeAt(entry.restsUntilMs);
      else if (turns.hasRoom(entry.job)) begin(entry);
      else turns.makeRoom(entry.job);
    }
  }

  /** Runs a suspect alone, so that it is certain which recording kills the process. */
  function beginAlone(entry: Entry): void {
    alone = { entry, timer: setTimeout(() => breakOff(entry, FOR_SUSPECT), entry.aloneMs) };
    entry.aloneMs = Math.min(MOST_ALONE_MS, 2 * entry.aloneMs);
    begin(entry);
  }

  /** The suspect made progress, died or used up its time: now it is the others' turn. */
  function endTurnOf(entry: Entry): void {
    if (alone?.entry !== entry) return;
    clearTimeout(alone.timer);
    alone = null;
    othersUntilMs = performance.now() + OTHERS_MS;
    // Move it to the end, so that another suspect is next.
    if (entries.delete(entry.job.id)) entries.set(entry.job.id, entry);
    wake();
  }

  function breakOff(entry: Entry, reason: Error): void {
    entry.run?.controller.abort(reason);
  }

  function giveWay(entry: Entry): void {
    log.info({ predictionId: entry.job.id }, 'a recording gives way to another');
    breakOff(entry, FOR_OTHER_OWNER);
  }

  function begin(entry: Entry): void {
    const { job } = entry;
    const controller = new AbortController();
    const slot = turns.enter(job, () => giveWay(entry));
    entry.report({ stage: 'listening', fraction: null, behindOthers: false, detections: [] });
    const ended = work(entry, controller.signal)
      .catch((error: unknown) => {
        if (error instanceof JobTakenAway) return null;
        log.error({ err: error, predictionId: job.id }, 'the end of a job could not be stored; it will be analysed again');
        entry.restsUntilMs = performance.now() + STORE_AGAIN_MS;
        return 'again' as const;
      })
      .then((found) => {
        entry.run = null;
        if (found !== 'again' && found !== 'gaveWay') end(entry, found);
        else if (entry.endsAs !== undefined) end(entry, entry.endsAs);
        else if (found === 'gaveWay') end(entry, found);
        else entry.report(null);
      })
      .finally(() => {
        slot.leave();
        endTurnOf(entry);
      });
    entry.run = { controller, slot, ended };
  }

  function end(entry: Entry, found: RunEnd): void {
    entries.delete(entry.job.id);
    entry.end.resolve(found);
  }

  /** @returns `again` when it continues in this runner, `gaveWay` when it goes back to the queue */
  async function work(entry: Entry, signal: AbortSignal): Promise<JobOutcome | 'again' | 'gaveWay' | null> {
    const { job } = entry;
    const isAlone = alone?.entry === entry;
    let hasCheckpoint = false;
    try {
      const text = await analyzeJob(options, job, {
        signal,
        owner: createHmac('sha256', secret).update(ownerOf(job)).digest('base64'),
        onProgress: entry.report,
        onCheckpoint() {
          hasCheckpoint = true;
          clearSuspicion(entry);
        },
      });
      return text === null ? await cancelled(job) : { state: 'done', text };
    } catch (error) {
      if (error instanceof JobTakenAway || entry.endsAs === null) return null;
      if (entry.endsAs !== undefined) return cancelled(job);
      const isBrokenOff = signal.reason === FOR_SUSPECT || signal.reason === FOR_OTHER_OWNER;
      const hasDied = error instanceof AnalysisInterrupted && !error.fromOutside;
      // The process may have died just before the job was broken off.
      if (hasDied && (isBrokenOff || !signal.aborted)) {
        await countDeath(entry, isAlone && !hasCheckpoint);
        if (entry.attempts >= MAX_CERTAIN_DEATHS)
          return fail(job, { code: 'ANALYSIS_ABANDONED', details: { attempts: MAX_CERTAIN_DEATHS } });
      }
      if (isBrokenOff) return signal.reason === FOR_SUSPECT ? 'again' : 'gaveWay';
      if (signal.aborted) {
        if (closed && outlives(job)) return null;
        if (closed) await jobs.discard(job.id);
        return cancelled(job);
      }
      if (error instanceof AnalysisInterrupted) return closed ? null : 'again';
      if (error instanceof PredictionError && LACKING.has(error.code)) {
        // Not the recording's fault: it waits until the model can be loaded again.
        await modelLoader.lookNow();
        return closed ? null : 'gaveWay';
      }
      const problem = problemOf(error, job);
      // Operators need not know about problems of the recording itself.
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

  /** The recording made progress, so deaths are counted from zero again. */
  function clearSuspicion(entry: Entry): void {
    entry.deaths = 0;
    entry.aloneMs = ALONE_MS;
    endTurnOf(entry);
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

  /** Ends a job whose row has been removed. */
  async function cancelled({ uploadName }: Job): Promise<JobOutcome> {
    await uploads.remove(uploadName);
    return CANCELLED;
  }

  function endEarly(id: string, endsAs: JobOutcome | null, reason: Error): void {
    const entry = entries.get(id);
    if (entry === undefined) return;
    entry.endsAs = endsAs;
    entry.run?.controller.abort(reason);
    if (entry.run === null) end(entry, endsAs);
  }

  return {
    /** Whether a job would start immediately. */
    hasRoomFor: (job: Job): boolean => !isReserved() && turns.hasRoom(job),
    /** Makes another job give way to one that waits, if necessary. */
    makeRoomFor(job: Job): void {
      if (!isReserved()) turns.makeRoom(job);
    },
    order: turns.order,
    /** @returns takers whose next job would not start; null when nobody's would */
    full(): readonly string[] | null {
      const isWaiting = [...entries.values()].some((entry) => entry.run === null && !isSuspect(entry));
      return isWaiting || isReserved() ? null : turns.full();
    },
    isRunning: (id: string): boolean => (entries.get(id)?.run ?? null) !== null,
    get runningCount(): number {
      return allRunning().length;
    },
    /** How many slots each taker holds, most first. */
    slotsHeld: turns.held,
    /** Has `onRoom` called soon, once for several calls, when there may be room. */
    wake,

    /**
     * Analyses a recording, immediately if there is room, and again when the analysis process dies because of another one.
     */
    take(job: Job, report: RunReport): Promise<RunEnd> {
      const end = Promise.withResolvers<RunEnd>();
      const counted = { attempts: job.attempts, deaths: 0, aloneMs: ALONE_MS, restsUntilMs: 0 };
      entries.set(job.id, { job, report, end, run: null, endsAs: undefined, ...counted });
      beginOwn();
      return end.promise;
    },

    /** Interrupts a job of this runner whose row has been removed. */
    stop(id: string): void {
      endEarly(id, CANCELLED, new DOMException('The prediction was cancelled', 'AbortError'));
    },

    /** Interrupts a job of this runner that another worker has taken. */
    abandon(id: string): void {
      endEarly(id, null, new JobTakenAway());
    },

    /** Resolves when this runner has no jobs. */
    async settled(): Promise<void> {
      while (entries.size > 0) await Promise.all([...entries.values()].map((entry) => entry.end.promise));
    },

    /** Interrupts all jobs. */
    async close(): Promise<void> {
      closed = true;
      clearImmediate(wakesUp);
      clearTimeout(wakesLater?.timer);
      clearTimeout(alone?.timer);
      const runs = allRunning().flatMap(({ run }) => run ?? []);
      for (const { controller } of runs) controller.abort(new DOMException('The server is stopping', 'AbortError'));
      await Promise.all(runs.map(({ ended }) => ended));
      for (const entry of entries.values()) end(entry, null);
    },
  };
}

function problemOf(error: unknown, { id }: Job): JobProblem {
  const known = storageProblemOf(error) ?? error;
  if (known instanceof PredictionError || known instanceof HttpProblem) return { code: known.code, details: known.details };
  return { code: 'INTERNAL', details: { reference: id } };
}
