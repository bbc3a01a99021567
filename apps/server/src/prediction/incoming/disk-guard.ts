import { statfs } from 'node:fs/promises';
import { HttpProblem } from '../../http/http-problem.ts';
import { FULL_RETRY_SECONDS } from '../../http/storage-problem.ts';

/** With less, not even a row can be written for certain. */
export const FULL_BELOW_BYTES = 1024 ** 2;

export type DiskGuard = ReturnType<typeof createDiskGuard>;

/**
 * Keeps recordings from filling the disk that holds answers and accounts.
 *
 * @param freeBytes how much is free on the disk of a folder; for tests
 */
export function createDiskGuard(folder: string, minFreeBytes: number, freeBytes = freeBytesOf) {
  let reservedBytes = 0;

  function reserve(bytes: number): void {
    reservedBytes += bytes;
  }

  async function check(bytes: number): Promise<void> {
    const free = await freeBytes(folder);
    if (free - reservedBytes - bytes >= minFreeBytes) return;
    throw new HttpProblem('STORAGE_FULL', { retryAfterSeconds: FULL_RETRY_SECONDS });
  }

  return {
    /** Sets aside this much more, or less if negative, of what the file system does not count yet. Reserve before you check. */
    reserve,
    /** Checks that this much could be written now, besides all that is reserved. @throws HttpProblem STORAGE_FULL */
    check,
    /** Passes on what is then written, and sets aside what is left of it. @throws HttpProblem STORAGE_FULL before it is read */
    async *admit(content: AsyncIterable<Buffer>, bytes: number): AsyncIterable<Buffer> {
      let leftBytes = bytes;
      reserve(leftBytes);
      try {
        await check(0);
        for await (const chunk of content) {
          yield chunk;
          reserve(-chunk.length);
          leftBytes -= chunk.length;
        }
      } finally {
        reserve(-leftBytes);
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
