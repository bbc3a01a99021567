import { Worker } from 'node:worker_threads';
import pLimit from 'p-limit';

const FILES_AT_ONCE = 2;
const limit = pLimit(FILES_AT_ONCE);

/**
 * SHA-256 of a file that may have gigabytes, on a thread of its own: nobody's answer waits for it.
 *
 * @returns hexadecimal digits
 * @throws what reading the file throws. @throws the signal's reason when it aborts
 */
export function hashFile(path: string, signal: AbortSignal): Promise<string> {
  return limit(async () => {
    signal.throwIfAborted();
    const thread = new Worker(new URL('./hash-thread.ts', import.meta.url), { name: 'hash', workerData: path });
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const abort = (): void => reject(signal.reason);
    signal.addEventListener('abort', abort);
    thread.once('message', resolve);
    thread.once('error', reject);
    thread.once('exit', () => reject(new Error('The thread ended before it had hashed the file.')));
    try {
      return await promise;
    } finally {
      signal.removeEventListener('abort', abort);
      await thread.terminate();
    }
  });
}
