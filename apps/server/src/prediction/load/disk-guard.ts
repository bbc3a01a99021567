import { statfs } from 'node:fs/promises';
import { HttpProblem } from '../../http/http-problem.ts';

/** Keeps recordings from filling the disk that answers and accounts are written to. */
export interface DiskGuard {
  /**
   * @param bytes that are about to be written
   * @throws HttpProblem STORAGE_FULL
   */
  require(bytes: number): Promise<void>;
}

const RETRY_AFTER_SECONDS = 600;

/** @param freeBytesOf how much room is left where a folder lies; for tests */
export function createDiskGuard(folder: string, minFreeBytes: number, freeBytesOf = freeBytes): DiskGuard {
  return {
    async require(bytes) {
      if ((await freeBytesOf(folder)) - bytes >= minFreeBytes) return;
      throw new HttpProblem('STORAGE_FULL', { retryAfterSeconds: RETRY_AFTER_SECONDS });
    },
  };
}

async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}
