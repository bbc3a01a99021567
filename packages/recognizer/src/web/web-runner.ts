import type { CancelSignal } from '../cancel-signal.ts';
import { RecognizerError } from '../errors.ts';
import type { ModelManifest } from '../model/manifest.ts';
import type { ClipJob, ClipRunner, ClipSlot } from '../model/session.ts';
import type { WorkerReply, WorkerRequest } from './worker-messages.ts';

export interface WebRunnerOptions {
  /** as `forBrowsers` returns it */
  readonly manifest: ModelManifest;
  /** The files that its `audio` names. They are transferred to the worker: the caller's buffers are empty afterwards. */
  readonly graph: ArrayBuffer;
  readonly weights: ArrayBuffer;
  /** The file at `runtimeUrl`, transferred as well. */
  readonly runtime: ArrayBuffer;
}

/** The model in a worker of this page. */
export interface WebRunner extends ClipRunner {
  /** Rejects all work with `RUNNER_CLOSED` and ends the worker. */
  close(): void;
}

/**
 * Starts a worker, and waits until it has loaded the model and run it once.
 *
 * @throws RecognizerError `MODEL_UNREADABLE`, `MODEL_MISMATCH`
 */
export const createWebRunner = (options: WebRunnerOptions): Promise<WebRunner> =>
  startRunner(options, new Worker(new URL('./worker.ts', import.meta.url), { type: 'module', name: 'recognizer' }));

/** The part of a worker that the runner uses; tests pass a fake one. */
export interface WorkerPort {
  postMessage(message: WorkerRequest, transfer?: Transferable[]): void;
  addEventListener(type: 'message', listener: (event: { readonly data: WorkerReply }) => void): void;
  addEventListener(type: 'error', listener: (event: { readonly message?: string }) => void): void;
  terminate(): void;
}

/** One clip runs while the next one waits in the worker. More would be wasted when the job is cancelled. */
const CLIPS_IN_FLIGHT = 2;

/** While the worker has its samples, `samples` is empty. */
interface LentSlot extends ClipSlot {
  samples: Float32Array<ArrayBuffer>;
}

export async function startRunner(
  { manifest, graph, weights, runtime }: WebRunnerOptions,
  worker: WorkerPort,
): Promise<WebRunner> {
  const { audio, labels } = manifest;
  const clips = new Map<
    number,
    { readonly slot: LentSlot; readonly job: ClipJob; readonly resolve: () => void; readonly reject: (reason: unknown) => void }
  >();
  let lastId = 0;
  let ended: RecognizerError | null = null;

  /** Rejects the clips of a job, or of all jobs. Later replies about them are ignored. */
  const drop = (reason: unknown, job: ClipJob | null): void => {
    for (const [id, clip] of clips) {
      if (job !== null && clip.job !== job) continue;
      clips.delete(id);
      clip.reject(reason);
    }
  };
  const settle = (data: Extract<WorkerReply, { readonly id: number }>): void => {
    const clip = clips.get(data.id);
    if (clip === undefined) return;
    clips.delete(data.id);
    clip.slot.samples = data.samples;
    if (data.kind === 'failed') clip.reject(new RecognizerError('INFERENCE_FAILED', { reason: data.reason }));
    else {
      clip.slot.outputs.set(data.outputs);
      clip.resolve();
    }
  };
  const end = (error: RecognizerError): void => {
    if (ended !== null) return;
    ended = error;
    drop(error, null);
    worker.terminate();
  };

  const ready = new Promise<void>((resolve, reject) => {
    const fail = (error: RecognizerError): void => {
      end(error);
      reject(error);
    };
    worker.addEventListener('error', ({ message = 'the worker ended' }) =>
      fail(new RecognizerError('INFERENCE_FAILED', { reason: message })),
    );
    worker.addEventListener('message', ({ data }) => {
      switch (data.kind) {
        case 'ready':
          return resolve();
        case 'unreadable':
          return fail(new RecognizerError('MODEL_UNREADABLE', { file: audio.file }, { cause: data.reason }));
        case 'unfit':
          return fail(new RecognizerError('MODEL_MISMATCH', { found: data.found, expected: data.expected }));
        case 'done':
        case 'failed':
          return settle(data);
      }
    });
  });
  worker.postMessage({ kind: 'start', audio, labelCount: labels.count, graph, weights, runtime }, [graph, weights, runtime]);
  await ready;

  return {
    openJob(signal?: CancelSignal): ClipJob {
      if (ended !== null) throw ended;
      const free: LentSlot[] = [];
      let closedBy: { readonly reason: unknown } | null = null;
      const close = (reason: unknown): void => {
        if (closedBy !== null) return;
        closedBy = { reason };
        signal?.removeEventListener('abort', cancel);
        drop(reason, job);
      };
      const cancel = (): void => close(signal?.reason);
      const job: ClipJob = {
        maxClipsInFlight: CLIPS_IN_FLIGHT,
        take: () => free.pop() ?? { samples: new Float32Array(audio.clipSamples), outputs: new Float32Array(labels.count) },
        run(taken) {
          if (closedBy !== null) return Promise.reject(closedBy.reason);
          if (ended !== null) return Promise.reject(ended);
          return new Promise((resolve, reject) => {
            const id = ++lastId;
            // Every slot comes from `take`.
            const slot = taken as LentSlot;
            clips.set(id, { slot, job, resolve, reject });
            // Transferred, and back with the outputs: copies would be half a megabyte of garbage per clip, here and in the worker.
            worker.postMessage({ kind: 'clip', id, samples: slot.samples }, [slot.samples.buffer]);
          });
        },
        release(slot) {
          // A slot whose samples the worker did not return is empty and not reused.
          if (slot.samples.length === audio.clipSamples) free.push(slot as LentSlot);
        },
        close: () => close(new RecognizerError('RUNNER_CLOSED', {})),
      };
      if (signal?.aborted) cancel();
      else signal?.addEventListener('abort', cancel);
      return job;
    },
    close: () => end(new RecognizerError('RUNNER_CLOSED', {})),
  };
}
