import type { CancelSignal } from '../cancel-signal.ts';
import { RecognizerError } from '../errors.ts';
import type { ClipJob, ClipSlot } from '../model/session.ts';
import type { SharedClip } from './worker-messages.ts';

/** A clip on its way: whose it is, where it stands, and how to tell that it is done. */
export interface QueuedClip extends SharedClip {
  isRunning: boolean;
  /** Runs that ended without a result. */
  failures: number;
  /** Cancelled; its slot is free as soon as the worker has answered. */
  abandoned: boolean;
  settle: { readonly resolve: () => void; readonly reject: (reason: unknown) => void } | null;
}

interface QueuedJob {
  readonly waiting: QueuedClip[];
  /** Clips that workers were given. */
  served: number;
  readonly taken: Set<QueuedClip>;
  close(reason: unknown): void;
}

/** As long as a job had no more clips than these (a minute of sound), it goes before jobs that had more: a short recording is done then. */
const FRESH_CLIPS = 40;
/** … but of so many batches, one is for those, that nothing stands still however many short recordings come. */
const OLDER_EVERY = 4;

/**
 * The clips that wait for a worker, job by job. Jobs that have just begun come first, the one that had least before the others; the
 * others are given their turns one after the other. So a short recording overtakes long ones, and no long one waits for another.
 *
 * @param onClips called when there is something to do
 */
export function createClipQueue(sizes: { clipSamples: number; labelCount: number }, onClips: () => void) {
  const jobs: QueuedJob[] = [];
  const free: QueuedClip[] = [];
  let turn = 0;
  /** Batches in a row that fresh jobs had while others were waiting. */
  let freshBatches = 0;

  const allocate = (): QueuedClip => ({
    samples: new Float32Array(new SharedArrayBuffer(sizes.clipSamples * Float32Array.BYTES_PER_ELEMENT)),
    outputs: new Float32Array(new SharedArrayBuffer(sizes.labelCount * Float32Array.BYTES_PER_ELEMENT)),
    isRunning: false,
    failures: 0,
    abandoned: false,
    settle: null,
  });
  const setFree = (clip: QueuedClip): void => {
    clip.isRunning = false;
    clip.failures = 0;
    clip.abandoned = false;
    clip.settle = null;
    free.push(clip);
  };
  const settleWith = (clip: QueuedClip, error: unknown): void => {
    clip.settle?.reject(error);
    clip.settle = null;
  };

  const openJob = (maxClipsInFlight: number, signal?: CancelSignal): ClipJob => {
    let closed = false;
    let closedBy: unknown = null;
    const close = (reason: unknown): void => {
      if (closed) return;
      closed = true;
      closedBy = reason;
      signal?.removeEventListener('abort', cancel);
      jobs.splice(jobs.indexOf(job), 1);
      job.waiting.length = 0;
      for (const clip of job.taken) {
        settleWith(clip, reason);
        if (clip.isRunning) clip.abandoned = true;
        else setFree(clip);
      }
      job.taken.clear();
      // Slots are kept for the next job, but not those of a crowd that has gone.
      free.length = Math.min(free.length, (jobs.length + 1) * (maxClipsInFlight + 1));
    };
    const cancel = (): void => close(signal?.reason);
    const job: QueuedJob = { waiting: [], served: 0, taken: new Set(), close };
    jobs.push(job);
    if (signal?.aborted) cancel();
    else signal?.addEventListener('abort', cancel);

    const own = (slot: ClipSlot): QueuedClip | undefined => [...job.taken].find((clip) => clip === slot);
    return {
      maxClipsInFlight,
      take() {
        const clip = free.pop() ?? allocate();
        if (!closed) job.taken.add(clip);
        return clip;
      },
      run(slot) {
        const clip = own(slot);
        if (closed || !clip) return Promise.reject(closedBy);
        return new Promise((resolve, reject) => {
          clip.settle = { resolve, reject };
          job.waiting.push(clip);
          onClips();
        });
      },
      release(slot) {
        const clip = own(slot);
        if (!clip || !job.taken.delete(clip)) return;
        setFree(clip);
      },
      close: () => close(new RecognizerError('RUNNER_CLOSED', {})),
    };
  };

  /** Of the fresh jobs, the one that had least so far. */
  const newest = (): QueuedJob | undefined => {
    let least: QueuedJob | undefined;
    for (const job of jobs) {
      if (job.waiting.length > 0 && job.served < Math.min(FRESH_CLIPS, least?.served ?? FRESH_CLIPS)) least = job;
    }
    return least;
  };

  /** The next of the jobs that are not fresh any more, after the one that had its turn last. */
  const olderInTurn = (): QueuedJob | undefined => {
    for (let ahead = 1; ahead <= jobs.length; ahead++) {
      const job = jobs[(turn + ahead) % jobs.length];
      if (job && job.waiting.length > 0 && job.served >= FRESH_CLIPS) return job;
    }
    return undefined;
  };

  return {
    openJob,
    /** The next clips for one worker, all of one job; empty when nothing waits. */
    nextBatch(maxClips: number, workers: number): QueuedClip[] {
      const fresh = newest();
      const older = olderInTurn();
      const job = fresh && (!older || freshBatches + 1 < OLDER_EVERY) ? fresh : older;
      if (!job) return [];
      if (job === older) turn = jobs.indexOf(job);
      freshBatches = job === older || !older ? 0 : freshBatches + 1;
      // Few clips are shared between the workers rather than given to the first that comes.
      const batch = job.waiting.splice(0, Math.min(maxClips, Math.ceil(job.waiting.length / workers)));
      for (const clip of batch) clip.isRunning = true;
      job.served += batch.length;
      return batch;
    },
    succeed(batch: readonly QueuedClip[]): void {
      for (const clip of batch) {
        if (clip.abandoned) {
          setFree(clip);
          continue;
        }
        clip.isRunning = false;
        clip.settle?.resolve();
        clip.settle = null;
      }
    },
    /** A run ended without a result: each clip gets one more try, then its job is told. */
    fail(batch: readonly QueuedClip[], reason: string): void {
      for (const clip of [...batch].reverse()) {
        if (clip.abandoned) {
          setFree(clip);
          continue;
        }
        clip.isRunning = false;
        clip.failures += 1;
        const job = jobs.find((candidate) => candidate.taken.has(clip));
        if (clip.failures > 1 || !job) {
          settleWith(clip, new RecognizerError('INFERENCE_FAILED', { reason }));
        } else {
          job.waiting.unshift(clip);
        }
      }
      onClips();
    },
    /** What waits or runs is rejected. */
    closeJobs(error: RecognizerError): void {
      for (const job of [...jobs]) job.close(error);
    },
    get waitingClips(): number {
      return jobs.reduce((count, job) => count + job.waiting.length, 0);
    },
  };
}
