/**
 * Loaded into a trial's server and its threads before anything else (`--import`): on SIGUSR2, one of the threads that run the model ends
 * between two batches. A single thread cannot be ended from outside, and `terminate` in the middle of a batch throws through ONNX
 * Runtime's binding, which ends the whole process. The oldest thread ends, so that each has its turn.
 */
import { BroadcastChannel, isMainThread, threadId, type Worker } from 'node:worker_threads';

/** What the server then writes. */
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
