import { Worker } from 'node:worker_threads';
import type { WorkerReply, WorkerSetUp, WorkerTask } from './worker-messages.ts';

/** Events of a worker. None follows `onGone`. */
export interface WorkerEvents {
  onReply(reply: WorkerReply): void;
  /** The worker died, or could not start. */
  onGone(reason: string): void;
}

/** A worker as the pool sees it; tests pass a fake. */
export interface WorkerHandle {
  send(task: WorkerTask): void;
  /** Waits for a running task, then ends the worker. No event follows this call. */
  close(): Promise<void>;
}

export type StartWorker = (events: WorkerEvents) => WorkerHandle;

/** A closing worker that takes longer than this is terminated. Longer than any batch takes. */
const CLOSE_TIMEOUT_MS = 5_000;

/**
 * Unless this is set when ONNX Runtime is loaded, it reports every process that uses it to its maker and stores an identifier in
 * the user's home folder. Set here in the main thread, because a worker thread's environment is not the process's.
 * Source: onnxruntime pull request 27379.
 */
process.env.ORT_DISABLE_TELEMETRY = '1';

export function startWorkerThread(setUp: WorkerSetUp, events: WorkerEvents): WorkerHandle {
  const worker = new Worker(new URL('./worker.ts', import.meta.url), { workerData: setUp, name: 'recognizer' });
  let gone = false;
  const leave = (reason: string): void => {
    if (gone) return;
    gone = true;
    events.onGone(reason);
  };
  const exited = new Promise<void>((resolve) => {
    worker.once('exit', (code) => {
      leave(`the worker ended with code ${code}`);
      resolve();
    });
  });
  worker.on('error', (error) => leave(String(error)));
  worker.on('messageerror', (error) => leave(String(error)));
  worker.on('message', (reply: WorkerReply) => {
    if (!gone) events.onReply(reply);
  });

  return {
    send: (task) => worker.postMessage(task),
    async close() {
      gone = true;
      worker.postMessage({ kind: 'close' });
      const timer = setTimeout(() => worker.terminate(), CLOSE_TIMEOUT_MS);
      await exited;
      clearTimeout(timer);
    },
  };
}
