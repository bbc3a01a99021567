import { createHmac, randomBytes } from 'node:crypto';
import { AnalysisInterrupted, PredictionError } from '@chiffchaff/analysis';
import { HttpProblem } from '../../http/http-problem.ts';
import { storageProblemOf } from '../../http/storage-problem.ts';
import { type AnalyzeJobOptions, analyzeJob } from './analyze-job.ts';
import { CANCELLED, type Job, type JobOutcome, type JobProblem, type JobProgress } from './job.ts';
import { JobTakenAway } from './job-store.ts';
import { createSlots, type Lane, laneOf, ownerOf, type Slot } from './slots.ts';

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

/** A job whose slot another needs: it waits in that lane, and goes on from its checkpoint when it is taken again. */
export interface GaveWay {
  readonly state: 'gaveWay';
  readonly lane: Lane;
}

/** What came of a job in hand; null when it goes on elsewhere or later. */
export type RunEnd = JobOutcome | GaveWay | null;

/** A job in hand, from when it is taken to its end. */
interface Entry {
  readonly job: Job;
  lane: Lane;
  readonly report: RunReport;
  readonly end: PromiseWithResolvers<RunEnd>;
  run: { readonly controller: AbortController; readonly slot: Slot; readonly ended: Promise<void> } | null;
  /** What it is when its run has ended, because it was cancelled or lost. */
  endsAs: JobOutcome | null | undefined;
  /** times that the analysis process died of it for certain; also in the row */
  attempts: number;
  /** deaths of the analysis process that it was part of since its last checkpoint */
  deaths: number;
  /** how long it may run alone before the others have their turn */
  aloneMs: number;
  /** It is not begun before. */
  restsUntilMs: number;
}

/** So often the analysis process may die while it works on one recording alone that gets no further. */
export const MAX_CERTAIN_DEATHS = 3;
/** From so many deaths on, a recording that was part of them runs alone until it has got further. */
const SUSPECTED_AFTER_DEATHS = 2;
/** How long a suspect runs alone at first. One that gets no further in that time has twice as long in its next turn. */
const ALONE_MS = 5_000;
const MOST_ALONE_MS = 60_000;
/** How long the others have their turn before the next suspect has its. */
const OTHERS_MS = 10_000;
/** Interval between checks for a missing model. */
const LOOK_FOR_MODEL_MS = 5_000;
/** When a job whose end could not be stored is begun again. */
const STORE_AGAIN_MS = 5_000;

/** Why a run is broken off that goes on from its checkpoint. */
class BrokenOff extends Error {
  override readonly name = 'BrokenOff';
  readonly isForSuspect: boolean;
  constructor(isForSuspect: boolean) {
    super(isForSuspect ? 'Another recording has to run alone' : 'Another recording needs the slot');
    this.isForSuspect = isForSuspect;
  }
}

const isSuspect = ({ attempts, deaths }: Entry): boolean => attempts > 0 || deaths >= SUSPECTED_AFTER_DEATHS;

/**
 * Analyses recordings in this process' analysis process, as many at once as there are slots, and finds those that end it. Which jobs there are
 * and who waits for them is the queue's.
 */
export function createRunner(options: RunnerOptions) {
  const { jobs, analyzers, counts, uploads, log, running, onRoom, outlives } = options;
  const slots = createSlots({ count: running, onFree: () => wake() });
  /** The analysis process learns who takes turns, not who they are. */
  const secret = randomBytes(32);
  const inHand = new Map<string, Entry>();
  let closed = false;
  let wakesUp: NodeJS.Immediate | undefined;
  let wakesLater: { readonly timer: NodeJS.Timeout; readonly atMs: number } | null = null;
  /** the suspect whose turn it is, and what ends its turn */
  let alone: { readonly entry: Entry; readonly timer: NodeJS.Timeout } | null = null;
  let othersUntilMs = 0;
  const allRunning = (): Entry[] => [...inHand.values()].filter(({ run }) => run !== null);
  const suspects = (): Entry[] => [...inHand.values()].filter((entry) => entry.run === null && isSuspect(entry));
  /** Whether nothing may be begun, because a suspect runs alone or is about to. */
  const isReserved = (): boolean => alone !== null || (suspects().length > 0 && performance.now() >= othersUntilMs);

  /** Looks for work when everything that happens now has happened: a death of the analysis process ends many jobs at once. */
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
    // Without a model nothing can be answered; jobs wait for it rather than fail.
    if ((await analyzers.get().catch(() => null)) === null) return wakeAt(performance.now() + LOOK_FOR_MODEL_MS);
    beginOwn();
    if (closed) return;
    onRoom();
    const [suspect] = suspects();
    if (suspect === undefined || alone !== null) return;
    // Nobody else wants to be analysed.
    if (allRunning().length === 0) beginAlone(suspect);
    else wakeAt(othersUntilMs);
  }

  function beginOwn(): void {
    if (closed || alone !== null) return;
    const [suspect] = suspects();
    if (suspect !== undefined && isReserved()) {
      for (const entry of allRunning()) breakOff(entry, true);
      if (allRunning().length === 0) beginAlone(suspect);
      return;
    }
    const now = performance.now();
    for (const entry of inHand.values()) {
      if (entry.run !== null || isSuspect(entry)) continue;
      if (entry.restsUntilMs > now) wakeAt(entry.restsUntilMs);
      else if (slots.hasRoom(entry.job, entry.lane)) begin(entry);
      else slots.makeRoom(entry.job, entry.lane);
    }
  }

  /** So that what ends the process is known for certain. */
  function beginAlone(entry: Entry): void {
    alone = { entry, timer: setTimeout(() => breakOff(entry, true), entry.aloneMs) };
    entry.aloneMs = Math.min(MOST_ALONE_MS, 2 * entry.aloneMs);
    begin(entry);
  }

  /** The suspect got on, died or has had its time: now it is the others' turn. */
  function endTurnOf(entry: Entry): void {
    if (alone?.entry !== entry) return;
    clearTimeout(alone.timer);
    alone = null;
    othersUntilMs = performance.now() + OTHERS_MS;
    // Another suspect is next.
    if (inHand.delete(entry.job.id)) inHand.set(entry.job.id, entry);
    wake();
  }

  function breakOff(entry: Entry, isForSuspect: boolean): void {
    entry.run?.controller.abort(new BrokenOff(isForSuspect));
  }

  function giveWay(entry: Entry): void {
    log.info({ predictionId: entry.job.id, lane: entry.run?.slot.lane }, 'a recording gives way to another');
    breakOff(entry, false);
  }

  function begin(entry: Entry): void {
    const { job } = entry;
    const controller = new AbortController();
    const slot = slots.enter(job, entry.lane, () => giveWay(entry));
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
        entry.lane = slot.lane;
        if (found !== 'again' && found !== 'gaveWay') end(entry, found);
        else if (entry.endsAs !== undefined) end(entry, entry.endsAs);
        else if (found === 'gaveWay') end(entry, { state: 'gaveWay', lane: slot.lane });
        else entry.report(null);
      })
      .finally(() => {
        slot.leave();
        endTurnOf(entry);
      });
    entry.run = { controller, slot, ended };
  }

  function end(entry: Entry, found: RunEnd): void {
    inHand.delete(entry.job.id);
    entry.end.resolve(found);
  }

  /** @returns `again` when it goes on in this runner, `gaveWay` when the queue has it again */
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
      if (signal.reason instanceof BrokenOff) return signal.reason.isForSuspect ? 'again' : 'gaveWay';
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

  /** Its row has been removed. */
  async function cancelled({ uploadName }: Job): Promise<JobOutcome> {
    await uploads.remove(uploadName);
    return CANCELLED;
  }

  function endEarly(id: string, endsAs: JobOutcome | null, reason: Error): void {
    const entry = inHand.get(id);
    if (entry === undefined) return;
    entry.endsAs = endsAs;
    entry.run?.controller.abort(reason);
    if (entry.run === null) end(entry, endsAs);
  }

  return {
    /** Whether a job would be begun at once. */
    hasRoomFor: (job: Job, lane: Lane): boolean => !isReserved() && slots.hasRoom(job, lane),
    /** Has another job give way to one that waits, if it has to. */
    makeRoomFor(job: Job, lane: Lane): void {
      if (!isReserved()) slots.makeRoom(job, lane);
    },
    /** How many jobs of its owner are analysed in that lane. */
    heldBy: slots.heldBy,
    accountsIn: slots.accountsIn,
    /** @returns accounts of which no other job would be begun; null when of nobody */
    fullFor(lane: Lane): readonly string[] | null {
      const isWaiting = [...inHand.values()].some((entry) => entry.run === null && entry.lane === lane && !isSuspect(entry));
      return isWaiting || isReserved() ? null : slots.fullFor(lane);
    },
    isRunning: (id: string): boolean => (inHand.get(id)?.run ?? null) !== null,
    get runningCount(): number {
      return allRunning().length;
    },
    /** How many slots each owner has, the most first. */
    slotsHeld: slots.held,
    /** Has `onRoom` called, soon and once, when there may be room. */
    wake,

    /**
     * Analyses a recording, at once when there is room; again when the analysis process dies of another one.
     *
     * @param lane where it waited
     */
    take(job: Job, report: RunReport, lane = laneOf(job)): Promise<RunEnd> {
      const end = Promise.withResolvers<RunEnd>();
      const counted = { attempts: job.attempts, deaths: 0, aloneMs: ALONE_MS, restsUntilMs: 0 };
      inHand.set(job.id, { job, lane, report, end, run: null, endsAs: undefined, ...counted });
      beginOwn();
      return end.promise;
    },

    /** Breaks off a job whose row has been removed, if it is in hand. */
    stop(id: string): void {
      endEarly(id, CANCELLED, new DOMException('The prediction was cancelled', 'AbortError'));
    },

    /** Breaks off a job that another worker has by now, if it is in hand. */
    abandon(id: string): void {
      endEarly(id, null, new JobTakenAway());
    },

    /** Resolves when nothing is in hand. */
    async settled(): Promise<void> {
      while (inHand.size > 0) await Promise.all([...inHand.values()].map((entry) => entry.end.promise));
    },

    /** Breaks off everything. */
    async close(): Promise<void> {
      closed = true;
      clearImmediate(wakesUp);
      clearTimeout(wakesLater?.timer);
      clearTimeout(alone?.timer);
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
