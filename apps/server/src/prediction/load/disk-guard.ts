import { statfs } from 'node:fs/promises';
import { HttpProblem } from '../../http/http-problem.ts';
import { FULL_RETRY_SECONDS } from '../../http/storage-problem.ts';

/** Keeps recordings from filling the disk that answers and accounts are written to. */
export interface DiskGuard {
  /**
   * @param bytes that are about to be written; what several writers are about to write counts together
   * @returns gives the room back that was not used, or is counted by the file system now
   * @throws HttpProblem STORAGE_FULL
   */
  reserve(bytes: number): Promise<() => void>;
  /** Whether so much could be written now. @throws HttpProblem STORAGE_FULL */
  check(bytes: number): Promise<void>;
}

/** @param freeBytesOf how much room is left where a folder lies; for tests */
export function createDiskGuard(folder: string, minFreeBytes: number, freeBytesOf = freeBytes): DiskGuard {
  let reserved = 0;

  async function check(bytes: number): Promise<void> {
    const free = await freeBytesOf(folder);
    if (free - reserved - bytes < minFreeBytes) {
      throw new HttpProblem('STORAGE_FULL', { retryAfterSeconds: FULL_RETRY_SECONDS });
    }
  }

  return {
    check,
    async reserve(bytes) {
      await check(bytes);
      reserved += bytes;
      let released = false;
      return () => {
        if (!released) reserved -= bytes;
        released = true;
      };
    },
  };
}

async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}
