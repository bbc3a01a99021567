/**
 * Loaded into the server of a trial before anything else (`--import`): at SIGUSR2 one of the threads that the model runs on ends at once, as one
 * that has run out of memory does. From outside no single thread can be ended. The one that has lived longest goes, so that all have their turn.
 */
import { isMainThread, type Worker } from 'node:worker_threads';

/** What the server has then written. */
export const WORKER_ENDED = 'trial: a worker has ended';

if (isMainThread) {
  const workers = new Set<Worker>();
  process.on('worker', (worker) => {
    workers.add(worker);
    worker.once('exit', () => workers.delete(worker));
  });
  process.on('SIGUSR2', () => {
    const oldest = [...workers].find(({ threadName }) => threadName === 'recognizer');
    oldest?.once('exit', () => process.stderr.write(`${WORKER_ENDED}\n`));
    void oldest?.terminate();
  });
}
