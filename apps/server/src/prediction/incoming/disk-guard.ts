import { statfs } from 'node:fs/promises';
import { HttpProblem } from '../../http/http-problem.ts';
import { FULL_RETRY_SECONDS } from '../../http/storage-problem.ts';

/** With less, not even a row can be written for certain. */
export const FULL_BELOW_BYTES = 1024 ** 2;

export type DiskGuard = ReturnType<typeof createDiskGuard>;

/**
 * Keeps recordings from filling the disk that holds answers and accounts. What is about to be written is compared with the free space a
 * megabyte or less at a time, so what arrives at the same moment can go beyond it by a few hundred megabytes at most.
 *
 * @param freeBytes how much is free on the disk of a folder; for tests
 */
export function createDiskGuard(folder: string, minFreeBytes: number, freeBytes = freeBytesOf) {
  async function check(bytes: number): Promise<void> {
    if ((await freeBytes(folder)) - bytes >= minFreeBytes) return;
    throw new HttpProblem('STORAGE_FULL', { retryAfterSeconds: FULL_RETRY_SECONDS });
  }

  return {
    /** Checks that this much could be written now. @throws HttpProblem STORAGE_FULL */
    check,
    /** Passes on what is then written. @throws HttpProblem STORAGE_FULL before it is read if it does not fit, and later when space runs out */
    async *admit(content: AsyncIterable<Buffer>, bytes: number): AsyncIterable<Buffer> {
      await check(bytes);
      for await (const chunk of content) {
        await check(chunk.length);
        yield chunk;
      }
    },
  };
}

/** Free bytes on the disk of a folder. */
export async function freeBytesOf(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

/** The stated length of a body; null when it is sent in chunks. */
export function announcedBytesOf({ headers }: { readonly headers: Readonly<Record<string, unknown>> }): number | null {
  if (headers['transfer-encoding'] !== undefined) return null;
  return Number(headers['content-length'] ?? 0);
}
