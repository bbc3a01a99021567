import type { AnalysisService } from '@chiffchaff/analysis';
import type { FastifyBaseLogger } from 'fastify';
import type { Database } from '../database/open-database.ts';
import type { PredictionCounts } from '../operation/metrics.ts';
import type { AnalyzerSource } from './analyzer-source.ts';
import type { SoundsOfPredictions } from './audio/audio-retention.ts';
import type { IncomingUploads, PendingUpload } from './incoming/incoming-uploads.ts';
import type { UploadFolder } from './incoming/upload-folder.ts';
import { finalizeUpload } from './queue/analyze-job.ts';
import { createJobQueue } from './queue/job-queue.ts';
import { createJobStore } from './queue/job-store.ts';
import { createAnswers } from './stored/answers.ts';
import { createDeletionWorker } from './stored/deletion-worker.ts';
import { createPredictionStore, type FoundPrediction } from './stored/prediction-store.ts';

export interface PredictionsOptions {
  readonly database: Database;
  readonly incoming: IncomingUploads;
  readonly uploads: UploadFolder;
  readonly analyzers: AnalyzerSource;
  readonly service: AnalysisService;
  readonly sounds: SoundsOfPredictions;
  readonly counts: PredictionCounts;
  readonly log: FastifyBaseLogger;
  /** recordings that are analysed at once */
  readonly running: number;
  /** recordings that may wait besides */
  readonly waiting: number;
  /** How long a deletion can be undone. */
  readonly restorableMs?: number | undefined;
}

/** Something of an account that is being received, waits, or has been answered. */
export type Found =
  | { readonly kind: 'arriving'; readonly pending: PendingUpload }
  | { readonly kind: 'stored'; readonly row: FoundPrediction };

export interface Deleted {
  readonly deleted: number;
  /** null when nothing can be restored */
  readonly restorableUntilMs: number | null;
}

const DEFAULT_RESTORABLE_MS = 60_000;
const SWEEP_EVERY_MS = 10_000;

export type Predictions = ReturnType<typeof createPredictions>;

/** Everything around predictions that outlives a request. */
export function createPredictions(options: PredictionsOptions) {
  const { database, incoming, uploads, analyzers, service, sounds, counts, log, running, waiting } = options;
  const { restorableMs = DEFAULT_RESTORABLE_MS } = options;
  const jobs = createJobStore(database);
  const store = createPredictionStore(database);
  const answers = createAnswers(store, service);
  const queue = createJobQueue({ jobs, uploads, sounds, log, analyzers, answers, counts, running, waiting });
  const deletionWorker = createDeletionWorker({ store, sounds, log, restorableMs });
  const closing = new AbortController();
  let sweeps: NodeJS.Timeout | undefined;

  /** @returns the prediction that it is nevertheless, when it was being written down already, or another request with its key was quicker */
  async function cancelUpload(accountId: string, pending: PendingUpload): Promise<FoundPrediction | null> {
    pending.cancel();
    const become = await pending.become;
    return 'id' in become ? store.find(accountId, become.id) : null;
  }

  async function setAside(accountId: string, id: string, stopped: number): Promise<Deleted> {
    const removed = await store.remove(accountId, id);
    return { deleted: stopped + removed, restorableUntilMs: removed > 0 ? Date.now() + restorableMs : null };
  }

  async function sweep(): Promise<void> {
    await deletionWorker.run();
    for (const { id, accountId } of await store.goneWithSound()) await sounds.forget(accountId, id);
  }

  return {
    store,
    answers,
    incoming,
    queue,

    async find(accountId: string, idOrKey: string): Promise<Found | null> {
      const row = await store.find(accountId, idOrKey);
      if (row) return { kind: 'stored', row };
      const pending = incoming.find(accountId, idOrKey);
      return pending && { kind: 'arriving', pending };
    },

    /** Stops work for good, or sets an answer aside. */
    async delete(accountId: string, found: Found): Promise<Deleted> {
      const row = found.kind === 'stored' ? found.row : await cancelUpload(accountId, found.pending);
      if (row === null) return { deleted: 1, restorableUntilMs: null };
      if (row.state === 'queued' && (await queue.cancel(row.id))) return { deleted: 1, restorableUntilMs: null };
      return setAside(accountId, row.id, 0);
    },

    async deleteAll(accountId: string): Promise<Deleted> {
      const become = await Promise.all(incoming.ofAccount(accountId).map((pending) => cancelUpload(accountId, pending)));
      const inWork = await store.inWork(accountId);
      for (const { id } of inWork) await queue.cancel(id);
      return setAside(accountId, 'all', become.filter((row) => row === null).length + inWork.length);
    },

    restore: (accountId: string, idOrKey: string | 'all'): Promise<number> =>
      store.restore(accountId, idOrKey, Date.now() - restorableMs),
    keptAudioOf: sounds.keptAudioOf,

    /**
     * Removes everything of an account that was deleted. Nothing of it is found any more when this returns, also after a crash or a power
     * cut, and what it has not yet come to overwrite follows by itself. May be called again.
     */
    async deleteAccount(accountId: string): Promise<void> {
      await Promise.all(incoming.ofAccount(accountId).map((pending) => cancelUpload(accountId, pending)));
      const { jobs: rows } = await store.removeAccount(accountId);
      for (const { id, uploadName } of rows) {
        await queue.drop(id);
        if (uploadName !== null) await uploads.remove(uploadName);
      }
      await sounds.forgetAccount(accountId);
      await deletionWorker.run();
    },

    /** JSON of every answer of an account, for its export. */
    async *exportAccount(accountId: string): AsyncIterable<Buffer> {
      for await (const row of store.answersOf(accountId)) yield await answers.jsonOf(row, true);
    },

    /** Removes what was deleted and cannot be restored any more. Runs by itself once started. */
    sweep,

    /** Takes up what an earlier run of the server has left, and begins to work. */
    async start(): Promise<void> {
      const left = await jobs.takeUpLeftovers();
      await uploads.removeAllBut(new Set([...left.jobs, ...left.answered].map(({ uploadName }) => uploadName)));
      for (const upload of left.answered) {
        const outcome = await jobs.outcomeOf(upload.id);
        if (outcome === null || outcome === 'inWork' || outcome.state !== 'done') continue;
        await finalizeUpload({ jobs, uploads, sounds, log }, upload, await answers.headOf(outcome.row));
      }
      await sweep();
      sweeps = setInterval(() => void deletionWorker.run(), SWEEP_EVERY_MS).unref();
      queue.start(left.jobs);
    },

    /** Aborts when closing begins. */
    closing: closing.signal,
    /** Receives nothing more; what is under way goes on, and those who only watch are told to come again. */
    beginClosing(): void {
      queue.beginClosing();
      answers.beginClosing();
      closing.abort();
    },

    /** Stops what is under way; the next start takes it up. */
    async close(): Promise<void> {
      clearInterval(sweeps);
      await deletionWorker.close();
      await queue.close();
      answers.close();
    },
  };
}
