import type { CancelSignal } from '../cancel-signal.ts';
import { RecognizerError } from '../errors.ts';
import type { ClipJob, ClipSlot } from '../model/session.ts';
import type { SharedClip } from './worker-messages.ts';

/** A clip slot with the state of its run. */
export interface QueuedClip extends SharedClip {
  isRunning: boolean;
  /** Number of failed runs. */
  failures: number;
  /** Its job was closed while it ran; the slot is freed when the worker replies. */
  abandoned: boolean;
  settle: { readonly resolve: () => void; readonly reject: (reason: unknown) => void } | null;
}

interface QueuedJob {
  readonly owner: string | symbol;
  readonly waiting: QueuedClip[];
  /** Clips given to workers so far. */
  served: number;
  /** Number of its last batch; 0: none yet. */
  lastBatch: number;
  readonly taken: Set<QueuedClip>;
  close(reason: unknown): void;
}

/** A job with fewer clips served than this (a minute of audio) goes before jobs with more, so that a short recording finishes first. */
const FRESH_CLIPS = 40;
/** One in this many batches goes to the older jobs, so that they progress however many short recordings arrive. */
const OLDER_EVERY = 4;

/**
 * The clips that wait for a worker, by job. Jobs that have just begun come first, so that a short recording overtakes long ones.
 * Owners take turns, however many jobs they have. Of an owner's fresh jobs, the one served least is next; of the older ones, the
 * one that has waited longest.
 *
 * @param onClips called when clips may be waiting
 */
export function createClipQueue(sizes: { clipSamples: number; labelCount: number }, onClips: () => void) {
  const jobs: QueuedJob[] = [];
  const free: SharedClip[] = [];
  let batches = 0;
  /** Consecutive batches of fresh jobs while older ones were waiting. */
  let freshBatches = 0;

  const allocate = (): SharedClip => ({
    samples: new Float32Array(new SharedArrayBuffer(sizes.clipSamples * Float32Array.BYTES_PER_ELEMENT)),
    outputs: new Float32Array(new SharedArrayBuffer(sizes.labelCount * Float32Array.BYTES_PER_ELEMENT)),
  });
  const settleWith = (clip: QueuedClip, error: unknown): void => {
    clip.settle?.reject(error);
    clip.settle = null;
  };

  const openJob = (maxClipsInFlight: number, signal?: CancelSignal, owner: string | symbol = Symbol()): ClipJob => {
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
        else free.push(clip);
      }
      job.taken.clear();
      // Keeps slots for the open jobs and one more, but not for a crowd of closed ones.
      free.length = Math.min(free.length, (jobs.length + 1) * (maxClipsInFlight + 1));
    };
    const cancel = (): void => close(signal?.reason);
    const job: QueuedJob = { owner, waiting: [], served: 0, lastBatch: 0, taken: new Set(), close };
    jobs.push(job);
    if (signal?.aborted) cancel();
    else signal?.addEventListener('abort', cancel);

    const own = (slot: ClipSlot): QueuedClip | undefined => [...job.taken].find((clip) => clip === slot);
    return {
      maxClipsInFlight,
      take() {
        const unused = { isRunning: false, failures: 0, abandoned: false, settle: null };
        const clip: QueuedClip = Object.assign(free.pop() ?? allocate(), unused);
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
        free.push(clip);
      },
      close: () => close(new RecognizerError('RUNNER_CLOSED', {})),
    };
  };

  const lastBatchOf = (owner: QueuedJob['owner']): number =>
    jobs.reduce((last, job) => (job.owner === owner ? Math.max(last, job.lastBatch) : last), 0);

  /** The next of the fresh jobs, or of the older ones. */
  const nextJob = (isFresh: boolean): QueuedJob | undefined =>
    jobs
      .filter(({ waiting, served }) => waiting.length > 0 && served < FRESH_CLIPS === isFresh)
      .map((job) => ({ job, turn: lastBatchOf(job.owner), ownTurn: isFresh ? job.served : job.lastBatch }))
      .sort((one, other) => one.turn - other.turn || one.ownTurn - other.ownTurn)[0]?.job;

  return {
    openJob,
    /** The next clips for one worker, all of one job; empty if none are waiting. */
    nextBatch(maxClips: number, workers: number): QueuedClip[] {
      const fresh = nextJob(true);
      const older = nextJob(false);
      const job = fresh && (!older || freshBatches + 1 < OLDER_EVERY) ? fresh : older;
      if (!job) return [];
      freshBatches = job === older || !older ? 0 : freshBatches + 1;
      // A few clips are split between the workers instead of all going to the first one.
      const batch = job.waiting.splice(0, Math.min(maxClips, Math.ceil(job.waiting.length / workers)));
      for (const clip of batch) clip.isRunning = true;
      job.served += batch.length;
      batches += 1;
      job.lastBatch = batches;
      return batch;
    },
    succeed(batch: readonly QueuedClip[]): void {
      for (const clip of batch) {
        if (clip.abandoned) {
          free.push(clip);
          continue;
        }
        clip.isRunning = false;
        clip.settle?.resolve();
        clip.settle = null;
      }
    },
    /** Handles a failed run: each clip gets one more try, then its promise rejects. */
    fail(batch: readonly QueuedClip[], reason: string): void {
      for (const clip of [...batch].reverse()) {
        if (clip.abandoned) {
          free.push(clip);
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
    /** Rejects all waiting and running clips. */
    closeJobs(error: RecognizerError): void {
      for (const job of [...jobs]) job.close(error);
    },
    get waitingClips(): number {
      return jobs.reduce((count, job) => count + job.waiting.length, 0);
    },
  };
}
