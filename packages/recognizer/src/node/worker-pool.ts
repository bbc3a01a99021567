import { availableParallelism } from 'node:os';
import { RecognizerError } from '../errors.ts';
import type { ClipRunner, OccurrenceRunner, PlaceAndWeek } from '../model/session.ts';
import { createClipQueue, type QueuedClip } from './clip-queue.ts';
import type { ModelFolder } from './model-folder.ts';
import type { WorkerReply } from './worker-messages.ts';
import { type StartWorker, startWorkerThread, type WorkerHandle } from './worker-thread.ts';

export interface WorkerPoolOptions {
  readonly modelFolder: ModelFolder;
  /**
   * Number of threads, each with its own copy of the model; 0: one without the acoustic model, which runs no clips. Default: the
   * number of cores.
   */
  readonly workers?: number;
  /** Clips per batch: larger batches take more memory and are no faster, and new jobs wait longer for them. Default 2. */
  readonly maxBatchClips?: number;
}

/** The model on several threads, shared fairly by all jobs. */
export interface WorkerPool extends ClipRunner, OccurrenceRunner {
  /** Clips of all jobs waiting for a worker. */
  readonly waitingClips: number;
  /** Rejects all work with `RUNNER_CLOSED` and ends the workers after their current batches. */
  close(): Promise<void>;
}

/**
 * Starts the workers and waits until each has loaded the model and run it once.
 *
 * @throws RecognizerError `MODEL_UNREADABLE`, `MODEL_MISMATCH`
 */
export async function openWorkerPool(options: WorkerPoolOptions): Promise<WorkerPool> {
  const { modelFolder, workers = availableParallelism(), maxBatchClips = 2 } = options;
  const { manifest, path: folder } = modelFolder;
  const setUp = {
    folder,
    audio: workers === 0 ? null : manifest.audio,
    occurrence: manifest.occurrence,
    labelCount: manifest.labels.count,
    maxBatchClips,
  };
  return startPool({
    clipSamples: manifest.audio.clipSamples,
    labelCount: manifest.labels.count,
    wholeYear: manifest.occurrence?.wholeYear ?? 0,
    workers: Math.max(1, workers),
    maxBatchClips,
    startWorker: (events) => startWorkerThread(setUp, events),
  });
}

/** Parameters of the pool; tests pass fake workers. */
export interface PoolParts {
  readonly clipSamples: number;
  readonly labelCount: number;
  readonly wholeYear: number;
  readonly workers: number;
  readonly maxBatchClips: number;
  readonly startWorker: StartWorker;
}

interface OccurrenceTask {
  readonly places: readonly PlaceAndWeek[];
  readonly resolve: (scores: Float32Array) => void;
  readonly reject: (error: RecognizerError) => void;
  failures: number;
}

type Work =
  | { readonly kind: 'clips'; readonly batch: readonly QueuedClip[] }
  | { readonly kind: 'occurrence'; readonly task: OccurrenceTask };

/** A worker's place in the pool. A worker that dies is replaced. */
interface WorkerSlot {
  worker: WorkerHandle | null;
  ready: boolean;
  work: Work | null;
}

export async function startPool(parts: PoolParts): Promise<WorkerPool> {
  const { workers, maxBatchClips, startWorker } = parts;
  const slots: WorkerSlot[] = Array.from({ length: workers }, () => ({ worker: null, ready: false, work: null }));
  const places: OccurrenceTask[] = [];
  let closed = false;

  const queue = createClipQueue(parts, () => dispatch());

  const failWork = (work: Work, reason: string): void => {
    if (work.kind === 'clips') {
      queue.fail(work.batch, reason);
      return;
    }
    work.task.failures += 1;
    if (work.task.failures > 1) work.task.reject(new RecognizerError('INFERENCE_FAILED', { reason }));
    else places.unshift(work.task);
  };

  const giveWork = (slot: WorkerSlot, work: Work): void => {
    slot.work = work;
    if (work.kind === 'clips') {
      const clips = work.batch.map(({ samples, outputs }) => ({ samples, outputs }));
      slot.worker?.send({ kind: 'clips', clips });
    } else {
      const input = work.task.places.flatMap(({ latitude, longitude, week }) => [latitude, longitude, week ?? parts.wholeYear]);
      slot.worker?.send({ kind: 'occurrence', input });
    }
  };

  function dispatch(): void {
    if (closed) return;
    for (const [index, slot] of slots.entries()) {
      // Tries again to fill an empty seat, now that there is work.
      if (!slot.worker) fillSlot(slot, () => rejectAllIfNoneWorks());
      if (!slot.ready || slot.work) continue;
      // Only the first worker loads the occurrence model: it is rarely needed and takes memory.
      const task = index === 0 ? places.shift() : undefined;
      if (task) {
        giveWork(slot, { kind: 'occurrence', task });
        continue;
      }
      const batch = queue.nextBatch(maxBatchClips, workers);
      if (batch.length > 0) giveWork(slot, { kind: 'clips', batch });
    }
  }

  const endWork = (slot: WorkerSlot, reply: WorkerReply): void => {
    const { work } = slot;
    slot.work = null;
    if (work && reply.kind === 'done') {
      if (work.kind === 'clips') queue.succeed(work.batch);
      else work.task.resolve(reply.scores ?? new Float32Array(0));
    } else if (work) {
      failWork(work, reply.kind === 'failed' ? reply.reason : `an answer of kind ${reply.kind}`);
    }
    dispatch();
  };

  /** @param onUnfit called if the worker cannot become ready */
  function fillSlot(slot: WorkerSlot, onUnfit: (error: RecognizerError) => void, onReady: () => void = () => undefined): void {
    slot.ready = false;
    const leave = (error: RecognizerError | null, reason: string): void => {
      const { work, ready } = slot;
      slot.worker = null;
      slot.ready = false;
      slot.work = null;
      if (closed) return;
      // A worker that dies after it was ready is replaced; one that cannot start is not.
      if (ready) fillSlot(slot, () => rejectAllIfNoneWorks());
      if (work) failWork(work, reason);
      if (!ready) onUnfit(error ?? new RecognizerError('INFERENCE_FAILED', { reason }));
    };
    slot.worker = startWorker({
      onReply(reply) {
        switch (reply.kind) {
          case 'ready':
            slot.ready = true;
            onReady();
            dispatch();
            return;
          case 'unfit':
            return void leaveUnfit(new RecognizerError('MODEL_MISMATCH', { found: reply.found, expected: reply.expected }));
          case 'unreadable':
            return void leaveUnfit(new RecognizerError('MODEL_UNREADABLE', { file: reply.file }, { cause: reply.reason }));
          case 'done':
          case 'failed':
            endWork(slot, reply);
        }
      },
      onGone: (reason) => leave(null, reason),
    });
    const leaveUnfit = (error: RecognizerError): void => {
      void slot.worker?.close();
      leave(error, error.code);
    };
  }

  const rejectAll = (error: RecognizerError): void => {
    queue.closeJobs(error);
    for (const { work } of slots) if (work?.kind === 'occurrence') work.task.reject(error);
    for (const task of places.splice(0)) task.reject(error);
  };

  const rejectAllIfNoneWorks = (): void => {
    if (slots.every((slot) => !slot.worker)) {
      rejectAll(new RecognizerError('INFERENCE_FAILED', { reason: 'no worker could be started' }));
    }
  };

  const close = async (): Promise<void> => {
    if (closed) return;
    closed = true;
    rejectAll(new RecognizerError('RUNNER_CLOSED', {}));
    await Promise.all(slots.map((slot) => slot.worker?.close()));
  };

  try {
    await Promise.all(slots.map((slot) => new Promise<void>((resolve, reject) => fillSlot(slot, reject, resolve))));
  } catch (error) {
    await close();
    throw error;
  }

  const occurrences = (asked: readonly PlaceAndWeek[]): Promise<Float32Array> => {
    if (closed) return Promise.reject(new RecognizerError('RUNNER_CLOSED', {}));
    return new Promise((resolve, reject) => {
      places.push({ places: asked, resolve, reject, failures: 0 });
      dispatch();
    });
  };

  return {
    get waitingClips() {
      return queue.waitingClips;
    },
    openJob(signal, owner) {
      if (closed) throw new RecognizerError('RUNNER_CLOSED', {});
      return queue.openJob(2 * maxBatchClips * workers, signal, owner);
    },
    occurrence: (place) => occurrences([place]),
    occurrences,
    close,
  };
}
