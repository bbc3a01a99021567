/**
 * Loaded into the server of a trial, and into its threads, before anything else (`--import`): at SIGUSR2 one of the threads that the model
 * runs on ends between two batches. From outside no single thread can be ended, and `terminate` in the middle of a batch throws through
 * ONNX Runtime's binding, which ends the whole process. The thread that has lived longest goes, so that all have their turn.
 */
import { BroadcastChannel, isMainThread, threadId, type Worker } from 'node:worker_threads';

/** What the server has then written. */
export const WORKER_ENDED = 'trial: a worker has ended';

const channel = new BroadcastChannel('chiffchaff-trial: the thread that ends');
channel.unref();

if (isMainThread) {
  const workers = new Set<Worker>();
  process.on('worker', (worker) => {
    workers.add(worker);
    worker.once('exit', () => workers.delete(worker));
  });
  process.on('SIGUSR2', () => {
    const oldest = [...workers].find(({ threadName }) => threadName === 'recognizer');
    oldest?.once('exit', () => process.stderr.write(`${WORKER_ENDED}\n`));
    if (oldest) channel.postMessage(oldest.threadId);
  });
} else {
  channel.onmessage = ({ data }: { readonly data: unknown }) => {
    if (data === threadId) process.exit(1);
  };
}
