import type { AnalysisService } from '@chiffchaff/analysis';
import type { KeptAudio, PredictionFields } from '@chiffchaff/contract';
import type { FastifyBaseLogger } from 'fastify';
import type { Database } from '../database/open-database.ts';
import { HttpProblem } from '../http/http-problem.ts';
import type { PredictionCounts } from '../operation/metrics.ts';
import { type Admission, createAdmission, type Seat } from './admission.ts';
import type { AnalyzerSource } from './analyzer-source.ts';
import { type Arrival, createArrivals } from './arrivals.ts';
import { createDatabasePredictionJobs } from './jobs/database-prediction-jobs.ts';
import type { JobOutcome, JobProblem } from './jobs/job.ts';
import { createJobRunner } from './jobs/job-runner.ts';
import type { Acceptance } from './jobs/prediction-jobs.ts';
import { nameOfThisRun } from './jobs/processes.ts';
import { settleUpload } from './jobs/settle-upload.ts';
import { createWorkInHand, type WorkInHand } from './jobs/work-in-hand.ts';
import type { Sender } from './load/owners.ts';
import type { Upload } from './receive-upload.ts';
import type { SoundKeeper } from './sound-keeper.ts';
import { type Answers, createAnswers } from './stored/answers.ts';
import { createPurges } from './stored/create-purges.ts';
import { createPredictionStore, type FoundPrediction, type PredictionStore } from './stored/prediction-store.ts';
import type { UploadFolder } from './upload-folder.ts';

export interface PredictionsOptions {
  readonly database: Database;
  readonly uploads: UploadFolder;
  readonly analyzers: AnalyzerSource;
  readonly service: AnalysisService;
  readonly sounds: SoundKeeper;
  readonly counts: PredictionCounts;
  readonly log: FastifyBaseLogger;
  /** recordings that are listened to at once */
  readonly running: number;
  /** recordings that may wait besides */
  readonly waiting: number;
  /** How long a deletion can be undone. */
  readonly restorableMs?: number | undefined;
}

/** A recording on its way in. */
export interface Reception {
  readonly uploadPath: string;
  /** Aborts when its owner cancels it. */
  readonly signal: AbortSignal;
  /**
   * The recording has arrived whole: it is a new job, or known by its key.
   *
   * @param refusal thrown unless it is known
   * @throws HttpProblem IDEMPOTENCY_KEY_REUSED
   */
  accept(upload: Upload, fields: PredictionFields, refusal: HttpProblem | null): Promise<Acceptance['kind']>;
  /**
   * Waits for the answer to what was accepted.
   *
   * @throws the signal's reason when nobody waits any more: work with a key goes on, work without one stops
   */
  outcome(signal: AbortSignal): Promise<JobOutcome>;
  /** To be called at the end, whatever it was. @param error why there is no answer, if there is none */
  end(error?: unknown): Promise<void>;
}

/** Something of an account that is being received, waits, or has been answered. */
export type Found =
  | { readonly kind: 'arriving'; readonly arrival: Arrival }
  | { readonly kind: 'stored'; readonly row: FoundPrediction };

export interface Deleted {
  readonly deleted: number;
  /** null when nothing can be restored */
  readonly restorableUntilMs: number | null;
}

/** Everything around predictions that outlives a request. */
export interface Predictions {
  readonly store: PredictionStore;
  readonly answers: Answers;
  readonly work: WorkInHand;
  /** @throws HttpProblem SERVER_BUSY when too many wait already */
  receive(sender: Sender, idempotencyKey: string | null): Reception;
  find(accountId: string, idOrKey: string): Promise<Found | null>;
  /** Whether something waits because other recordings are listened to. */
  isBehindOthers(found: Found): boolean;
  /** Tells progress and outcome of a prediction, the latest first, until the signal aborts. */
  follow(id: string, watcher: Parameters<WorkInHand['watch']>[1], signal: AbortSignal): void;
  /** Stops work for good, or sets an answer aside. */
  delete(accountId: string, found: Found): Promise<Deleted>;
  deleteAll(accountId: string): Promise<Deleted>;
  restore(accountId: string, idOrKey: string | 'all'): Promise<number>;
  keptAudioOf(accountId: string, ids: readonly string[]): Promise<ReadonlyMap<string, KeptAudio>>;
  /**
   * Removes everything of an account that was deleted. Nothing of it is found any more when this returns, also after a crash or a power
   * cut, and what it has not yet come to overwrite follows by itself. May be called again.
   */
  deleteAccount(accountId: string): Promise<void>;
  /** JSON of every answer of an account, for its export. */
  exportAccount(accountId: string): AsyncIterable<Buffer>;
  /** Takes up what an earlier run of the server has left, and begins to work. */
  start(): Promise<void>;
  /** Receives nothing more; what is under way goes on, and whoever only watches is told to come again. */
  beginClosing(): void;
  /** Aborts when closing begins. */
  readonly closing: AbortSignal;
  /** Hands back what is under way. */
  close(): Promise<void>;
}

const DEFAULT_RESTORABLE_MS = 60_000;
const SWEEP_EVERY_MS = 10_000;
/** What other processes do is seen so late at most. */
const POLL_EVERY_MS = 2_000;

const cancelled: JobOutcome = { state: 'failed', problem: { code: 'PREDICTION_CANCELLED', details: {} } };

export function createPredictions(options: PredictionsOptions): Predictions {
  const { database, uploads, analyzers, service, sounds, counts, log, running, waiting } = options;
  const { restorableMs = DEFAULT_RESTORABLE_MS } = options;
  const run = nameOfThisRun();
  const jobs = createDatabasePredictionJobs({ database, run });
  const store = createPredictionStore(database);
  const answers = createAnswers({ store, service });
  const work = createWorkInHand();
  const arrivals = createArrivals();
  const admission: Admission = createAdmission({ running, waiting });
  const seats = new Map<string, Seat>();
  const settling = { jobs, uploads, sounds, log };
  const runner = createJobRunner({
    ...{ ...settling, work, analyzers, counts, running },
    onBegin(id, accountId) {
      takeSeat(id, accountId, null);
    },
    onEnd(id, seconds) {
      leaveSeat(id);
      admission.noteJob(seconds);
    },
  });
  counts.observeWork(() => ({ waiting: seats.size - runner.runningCount, running: runner.runningCount }));
  const closing = new AbortController();
  const purges = createPurges({ store, sounds, log, restorableMs });
  let sweeping: Promise<void> | null = null;
  let sweeps: NodeJS.Timeout | undefined;

  function takeSeat(id: string, accountId: string | null, network: string | null): void {
    if (!seats.has(id)) seats.set(id, admission.takeSeat({ accountId, network }));
  }

  function leaveSeat(id: string): void {
    seats.get(id)?.leave();
    seats.delete(id);
  }

  /** @returns whether there was such a job */
  async function stopJob(id: string): Promise<boolean> {
    const discarded = await jobs.discard(id);
    if (!discarded) return false;
    await endJob(id, discarded.uploadName);
    return true;
  }

  async function endJob(id: string, uploadName: string | null): Promise<void> {
    if (runner.isRunning(id)) runner.abort(id);
    else {
      work.settle(id, cancelled);
      leaveSeat(id);
    }
    if (uploadName !== null) await uploads.remove(uploadName);
  }

  function follow(id: string, watcher: Parameters<WorkInHand['watch']>[1], signal: AbortSignal): void {
    let over = false;
    let opening = false;
    const end = (): void => {
      over = true;
      unwatch();
      clearInterval(polls);
      signal.removeEventListener('abort', end);
    };
    const tell = (outcome: JobOutcome): void => {
      if (over) return;
      end();
      watcher.onOutcome(outcome);
    };
    const poll = async (): Promise<void> => {
      if (over || runner.isRunning(id)) return;
      const outcome = await jobs.outcomeOf(id);
      if (outcome === 'inWork' || runner.isRunning(id)) return;
      if (outcome?.state !== 'done') return tell(outcome ?? cancelled);
      if (opening) return;
      opening = true;
      try {
        tell({ state: 'done', text: await answers.jsonOf(outcome.row) });
      } catch (error) {
        // Too much of the account's is being opened; it is asked again.
        if (!(error instanceof HttpProblem)) throw error;
      } finally {
        opening = false;
      }
    };
    const unwatch = work.watch(id, { ...watcher, onOutcome: tell });
    const polls = setInterval(() => {
      poll().catch((error: unknown) => log.error({ err: error }, 'a prediction could not be looked at'));
    }, POLL_EVERY_MS);
    signal.addEventListener('abort', end);
    if (signal.aborted) {
      end();
      return;
    }
    const known = work.progressOf(id);
    if (known) watcher.onProgress?.(known);
    else poll().catch((error: unknown) => log.error({ err: error }, 'a prediction could not be looked at'));
  }

  function outcomeOf(id: string, signal: AbortSignal): Promise<JobOutcome> {
    return new Promise((resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      if (signal.aborted) return reject(signal.reason);
      follow(id, { onOutcome: resolve }, signal);
    });
  }

  async function sweep(): Promise<void> {
    const { answered, discarded } = await jobs.takeUpLeftovers();
    for (const name of discarded) await uploads.remove(name);
    for (const upload of answered) {
      const outcome = await jobs.outcomeOf(upload.id);
      if (outcome !== null && outcome !== 'inWork' && outcome.state === 'done') {
        await settleUpload(settling, upload, await answers.headOf(outcome.row));
      }
    }
    await uploads.removeLeftovers(() => jobs.neededUploads());
    await purges.run();
    const inWork = new Set((await jobs.inWork()).map(({ id }) => id));
    for (const id of [...seats.keys()]) if (!inWork.has(id) && !runner.isRunning(id)) leaveSeat(id);
  }

  /** @returns the prediction that it is nevertheless, when it was being written down already, or another request with its key was quicker */
  async function cancelArrival(accountId: string, arrival: Arrival): Promise<FoundPrediction | null> {
    arrival.cancel();
    const become = await arrival.become;
    return 'id' in become ? store.find(accountId, become.id) : null;
  }

  async function setAside(accountId: string, id: string, stopped: number): Promise<Deleted> {
    const removed = await store.remove(accountId, id);
    return { deleted: stopped + removed, restorableUntilMs: removed > 0 ? Date.now() + restorableMs : null };
  }

  const find = async (accountId: string, idOrKey: string): Promise<Found | null> => {
    const row = await store.find(accountId, idOrKey);
    if (row) return { kind: 'stored', row };
    const arrival = arrivals.find(accountId, idOrKey);
    return arrival && { kind: 'arriving', arrival };
  };

  return {
    store,
    answers,
    work,
    find,
    isBehindOthers: (found) => found.kind === 'stored' && found.row.state === 'queued' && runner.isFull(found.row.bytes),
    follow,

    receive({ accountId, network }, idempotencyKey) {
      admission.check({ accountId, network });
      const arrival = arrivals.begin(accountId, idempotencyKey);
      const { id, signal: arrivalSignal } = arrival;
      const uploadName = uploads.newName();
      let accepted = false;
      let predictionId = id;
      return {
        uploadPath: uploads.pathOf(uploadName),
        signal: arrivalSignal,
        async accept(upload, fields, refusal) {
          const { idempotencyKey } = arrival;
          // Before the job is there: it may be claimed, and done, before this goes on.
          takeSeat(id, accountId, network);
          const acceptance = await jobs.accept({ id, accountId, idempotencyKey, upload, uploadName, fields, refusal });
          accepted = acceptance.kind === 'accepted';
          if (acceptance.kind === 'known') predictionId = acceptance.id;
          arrival.end({ id: predictionId });
          await upload.onAccepted?.();
          if (!accepted) {
            leaveSeat(id);
            await uploads.remove(uploadName);
          }
          return acceptance.kind;
        },
        async outcome(signal) {
          const outcome = outcomeOf(predictionId, signal);
          // What is nobody's is forgotten as soon as it is done: watched first, then begun.
          if (accepted) runner.wake();
          try {
            return await outcome;
          } catch (error) {
            if (accepted && arrival.idempotencyKey === null) await stopJob(id);
            throw error;
          }
        },
        async end(error) {
          if (accepted) return;
          leaveSeat(id);
          await uploads.remove(uploadName);
          arrival.end({ problem: problemOfUpload(error) });
        },
      };
    },

    async delete(accountId, found) {
      const row = found.kind === 'stored' ? found.row : await cancelArrival(accountId, found.arrival);
      if (row === null) return { deleted: 1, restorableUntilMs: null };
      const { id, state } = row;
      if ((state === 'queued' || state === 'listening') && (await stopJob(id))) return { deleted: 1, restorableUntilMs: null };
      return setAside(accountId, id, 0);
    },

    async deleteAll(accountId) {
      const arriving = arrivals.ofAccount(accountId);
      const become = await Promise.all(arriving.map((arrival) => cancelArrival(accountId, arrival)));
      const inWork = await store.inWork(accountId);
      for (const { id } of inWork) await stopJob(id);
      return setAside(accountId, 'all', become.filter((row) => row === null).length + inWork.length);
    },

    restore: (accountId, idOrKey) => store.restore(accountId, idOrKey, Date.now() - restorableMs),
    keptAudioOf: (accountId, ids) => sounds.keptAudioOf(accountId, ids),

    async deleteAccount(accountId) {
      await Promise.all(arrivals.ofAccount(accountId).map((arrival) => cancelArrival(accountId, arrival)));
      const { jobs: rows } = await store.removeAccount(accountId);
      for (const { id, uploadName } of rows) await endJob(id, uploadName);
      await sounds.forgetAccount(accountId);
      await purges.run();
    },

    async *exportAccount(accountId) {
      for await (const row of store.answersOf(accountId)) yield await answers.jsonOf(row, true);
    },

    async start() {
      await sweep();
      for (const { id, accountId } of await store.goneWithSound()) await sounds.forget(accountId, id);
      for (const { id, accountId } of await jobs.inWork()) {
        takeSeat(id, accountId, null);
      }
      sweeps = setInterval(() => {
        sweeping ??= sweep()
          .catch((error: unknown) => log.error({ err: error }, 'what is left over could not be removed yet'))
          .finally(() => {
            sweeping = null;
          });
      }, SWEEP_EVERY_MS);
      sweeps.unref();
      runner.wake();
    },

    closing: closing.signal,
    beginClosing() {
      admission.close();
      answers.beginClosing();
      closing.abort();
    },

    async close() {
      clearInterval(sweeps);
      await purges.close();
      await sweeping;
      await runner.close();
      answers.close();
    },
  };
}

function problemOfUpload(error: unknown): JobProblem {
  if (error instanceof HttpProblem) return { code: error.code, details: error.details };
  return { code: 'PREDICTION_CANCELLED', details: {} };
}
