import type { AnalysisService } from '@chiffchaff/analysis';
import type { predictionsDeletedSchema } from '@chiffchaff/contract';
import type { z } from 'zod';
import type { Database } from '../database/database.ts';
import type { SoundsOfPredictions } from './audio/audio-retention.ts';
import type { ArrivingUpload, IncomingUploads } from './incoming/incoming-uploads.ts';
import type { JobQueue, JobQueueOptions } from './queue/job-queue.ts';
import { createConditionsStore } from './stored/conditions-store.ts';
import { createDeletionWorker } from './stored/deletion-worker.ts';
import { createLifeListStore } from './stored/life-list-store.ts';
import { createPredictionStore, type FoundPrediction } from './stored/prediction-store.ts';
import { createReviewStore } from './stored/review-store.ts';
import { createStoredAnswers, type TableFolder } from './stored/stored-answers.ts';

export interface PredictionsOptions extends Omit<JobQueueOptions, 'answers'> {
  readonly createQueue: (options: JobQueueOptions) => JobQueue;
  readonly database: Database;
  readonly incoming: IncomingUploads;
  readonly service: AnalysisService;
  readonly tables: TableFolder;
  readonly sounds: SoundsOfPredictions;
  /** How long a deletion can be undone. */
  readonly restorableMs: number;
}

/** A recording of an account: incoming, waiting, failed or answered. */
export type PredictionOrUpload = ArrivingUpload | FoundPrediction;

type Deleted = z.output<typeof predictionsDeletedSchema>;
const NOTHING_DELETED: Deleted = { deleted: 0, restorableUntil: null };

export type Predictions = ReturnType<typeof createPredictions>;

/** Everything about predictions that outlives a request. */
export function createPredictions(options: PredictionsOptions) {
  const { createQueue, database, incoming, uploads, modelLoader, service, sounds, counts, log, running, waiting } = options;
  const { tables, restorableMs } = options;
  const store = createPredictionStore(database);
  const lifeList = createLifeListStore(database);
  const reviews = createReviewStore(database);
  const conditions = createConditionsStore(database);
  const answers = createStoredAnswers({ store, reviews, service, tables });
  const queue = createQueue({ uploads, sounds, log, modelLoader, answers, counts, running, waiting });
  const deletionWorker = createDeletionWorker({ store, sounds, log, restorableMs });
  const closing = new AbortController();

  /**
   * @returns if it was not cancelled, the prediction that it, or a quicker request with its key, became; null when the outcome is unknown, as
   *   after a crash of its machine or of PostgreSQL: the upload may still finish.
   */
  async function cancelUpload(accountId: string, pending: ArrivingUpload): Promise<FoundPrediction | 'cancelled' | null> {
    const become = await pending.cancel();
    return 'id' in become ? store.find(accountId, become.id) : 'cancelled';
  }

  /** Cancels everything that arrives, waits or runs. @returns how many recordings that were */
  async function stopAccount(accountId: string): Promise<number> {
    async function cancelWork(): Promise<number> {
      const inWork = await store.inWork(accountId);
      await Promise.all(inWork.map(({ id }) => queue.cancel(id)));
      return inWork.length;
    }
    async function cancelArriving(): Promise<number> {
      const arriving = await incoming.ofAccount(accountId);
      const become = await Promise.all(arriving.map((pending) => cancelUpload(accountId, pending)));
      return become.filter((one) => one === 'cancelled').length;
    }
    const [inWork, arriving] = await Promise.all([cancelWork(), cancelArriving()]);
    // Again, for uploads that were being stored when they were cancelled.
    return inWork + arriving + (await cancelWork());
  }

  async function setAside(accountId: string, id: string, stopped: number): Promise<Deleted> {
    const removed = (await store.remove(accountId, id)) + (id === 'all' ? await lifeList.remove(accountId) : 0);
    return {
      deleted: stopped + removed,
      restorableUntil: removed > 0 ? new Date(Date.now() + restorableMs).toISOString() : null,
    };
  }

  async function find(accountId: string, idOrKey: string): Promise<PredictionOrUpload | null> {
    const found = (await store.find(accountId, idOrKey)) ?? (await incoming.find(accountId, idOrKey));
    // It may have become a row between the two lookups.
    return found ?? store.find(accountId, idOrKey);
  }

  /** Cancels a job, or sets an answer aside. */
  async function deleteOne(accountId: string, found: PredictionOrUpload): Promise<Deleted> {
    const left = 'cancel' in found ? await cancelUpload(accountId, found) : found;
    if (left === null) return NOTHING_DELETED;
    const isCancelled = left === 'cancelled' || (left.state === 'queued' && (await queue.cancel(left.id)));
    return isCancelled ? { deleted: 1, restorableUntil: null } : setAside(accountId, left.id, 0);
  }

  async function sweep(): Promise<void> {
    await deletionWorker.run();
    await lifeList.purge(Date.now() - restorableMs);
    for (const { id, accountId } of await store.goneWithSound()) await sounds.forget(accountId, id);
  }

  return {
    store,
    lifeList,
    reviews,
    conditions,
    answers,
    incoming,
    queue,

    find,

    /**
     * Cancels jobs, or sets an answer aside. A request that was repeated, as after a lost connection, may arrive several times with one
     * key: when this returns, nothing with it is left.
     */
    async delete(accountId: string, idOrKey: string): Promise<Deleted> {
      let all = NOTHING_DELETED;
      for (let found = await find(accountId, idOrKey); found !== null; found = await find(accountId, idOrKey)) {
        const { deleted, restorableUntil } = await deleteOne(accountId, found);
        all = { deleted: all.deleted + deleted, restorableUntil: restorableUntil ?? all.restorableUntil };
      }
      return all;
    },

    stopAccount,
    deleteAll: async (accountId: string): Promise<Deleted> => setAside(accountId, 'all', await stopAccount(accountId)),

    async restore(accountId: string, idOrKey: string | 'all'): Promise<number> {
      const removedAfterMs = Date.now() - restorableMs;
      const restored = await store.restore(accountId, idOrKey, removedAfterMs);
      return restored + (idOrKey === 'all' ? await lifeList.restore(accountId, removedAfterMs) : 0);
    },
    keptAudioOf: sounds.keptAudioOf,

    /**
     * Removes everything of a deleted account, or what it sent up to a time. When this returns, none of it can be found, even after a crash
     * or a power cut; overwriting continues in the background. Idempotent.
     */
    async deleteAccount(accountId: string, createdUntilMs?: number): Promise<void> {
      const arriving = (await incoming.ofAccount(accountId)).filter(
        ({ createdAtMs }) => createdUntilMs === undefined || createdAtMs <= createdUntilMs,
      );
      await Promise.all(arriving.map((pending) => cancelUpload(accountId, pending)));
      const { jobs: rows } = await store.removeAccount(accountId, createdUntilMs);
      for (const { id, uploadName } of rows) {
        await queue.drop(id);
        if (uploadName !== null) await uploads.remove(uploadName);
      }
      await lifeList.removeAccount(accountId, createdUntilMs);
      await sounds.forgetAccount(accountId, createdUntilMs);
      await deletionWorker.run();
    },

    /** JSON of every answer of an account, for its export, with everything that was said about its birds. */
    async *exportAccount(accountId: string): AsyncIterable<Buffer> {
      for await (const row of store.answersOf(accountId)) {
        const json = await answers.jsonOf(row, true);
        const history = await reviews.historyOf(row.id);
        const rest = Buffer.from(`,"reviewHistory":${JSON.stringify(history)}}`);
        yield history.length === 0 ? json : Buffer.concat([json.subarray(0, -1), rest]);
      }
    },

    /** Removes what was deleted and cannot be restored any more. */
    sweep,

    /** Resumes what an earlier run of the server left, and starts working. */
    async start(): Promise<void> {
      await queue.start();
      await sweep();
    },

    /** Resolves when nothing is being analysed or removed. */
    async settled(): Promise<void> {
      await queue.settled();
      await deletionWorker.settled();
    },

    /** Aborts when closing begins. */
    closing: closing.signal,
    /** Accepts nothing more. Jobs continue, and clients that only watch are asked to reconnect. */
    beginClosing(): void {
      queue.beginClosing();
      answers.beginClosing();
      closing.abort();
    },

    /** Stops running work; the next start resumes it. */
    async close(): Promise<void> {
      await deletionWorker.close();
      await queue.close();
      answers.close();
    },
  };
}
