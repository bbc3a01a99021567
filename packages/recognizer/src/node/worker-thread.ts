import { Worker } from 'node:worker_threads';
import type { WorkerReply, WorkerSetUp, WorkerTask } from './worker-messages.ts';

/** What a worker tells the pool. After `gone` it tells nothing more. */
export interface WorkerEvents {
  onReply(reply: WorkerReply): void;
  /** The worker died, or could not start. */
  onGone(reason: string): void;
}

/** One worker as the pool sees it; tests have a fake. */
export interface WorkerHandle {
  send(task: WorkerTask): void;
  /** Lets a running task end, then ends the worker. No event comes after this is called. */
  close(): Promise<void>;
}

export type StartWorker = (events: WorkerEvents) => WorkerHandle;

/** A closing worker that does not end within this is stopped hard. Longer than any batch takes. */
const CLOSE_TIMEOUT_MS = 5_000;

/**
 * ONNX Runtime's builds tell their maker about every process that uses them, and leave a mark in its owner's home to know it again by, unless
 * this is in the environment when they are loaded. Set here, because a thread's own environment is not the process's.
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
