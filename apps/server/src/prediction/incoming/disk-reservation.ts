import { statfs } from 'node:fs/promises';
import { HttpProblem } from '../../http/http-problem.ts';
import { FULL_RETRY_SECONDS } from '../../http/storage-problem.ts';

export type DiskGuard = ReturnType<typeof createDiskGuard>;

/**
 * Keeps recordings from filling the disk that answers and accounts are written to.
 *
 * @param freeBytesOf how much room is left where a folder lies; for tests
 */
export function createDiskGuard(folder: string, minFreeBytes: number, freeBytesOf = freeBytes) {
  let reserved = 0;

  async function check(bytes: number): Promise<void> {
    const free = await freeBytesOf(folder);
    if (free - reserved - bytes < minFreeBytes) {
      throw new HttpProblem('STORAGE_FULL', { retryAfterSeconds: FULL_RETRY_SECONDS });
    }
  }

  return {
    /** Whether so much could be written now. @throws HttpProblem STORAGE_FULL */
    check,
    /**
     * @param bytes that are about to be written; what several writers are about to write counts together
     * @returns gives the room back that was not used, or is counted by the file system now
     * @throws HttpProblem STORAGE_FULL
     */
    async reserve(bytes: number): Promise<() => void> {
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

/** What is taken at a time, ahead of what arrives. What is held besides is on its way to the disk. */
const STEP_BYTES = 1_000_000;
const STEPS_HELD = 8;

/**
 * Quota and room on the disk for one body, taken as it arrives: what is announced takes nothing.
 *
 * @param announcedBytes null when the body comes in chunks; more than is announced is never taken
 * @param take takes so many bytes. @returns gives them back
 * @throws whatever `take` throws for the first step
 */
export async function openDiskReservation(announcedBytes: number | null, take: (bytes: number) => Promise<() => void>) {
  const refusal = new AbortController();
  const held: (() => void)[] = [];
  let roomBytes = 0;
  let arrivedBytes = 0;
  let isGrowing = false;
  let isReleased = false;

  async function takeStep(): Promise<void> {
    const bytes = Math.min(STEP_BYTES, (announcedBytes ?? Number.POSITIVE_INFINITY) - roomBytes);
    const release = await take(bytes);
    roomBytes += bytes;
    if (isReleased) return release();
    held.push(release);
    while (held.length > STEPS_HELD) held.shift()?.();
  }

  async function grow(): Promise<void> {
    isGrowing = true;
    try {
      while (arrivedBytes > roomBytes && !isReleased) await takeStep();
    } catch (error) {
      refusal.abort(error);
    } finally {
      isGrowing = false;
    }
  }

  await takeStep();
  return {
    /** More of the body has arrived. */
    count(bytes: number): void {
      arrivedBytes += bytes;
      if (arrivedBytes > roomBytes && !isGrowing && !isReleased) void grow();
    },
    /** Aborts with the problem when there is no more to be had. */
    signal: refusal.signal,
    /** Everything that was taken so far. */
    get takenBytes() {
      return roomBytes;
    },
    /** Gives back what the file system counts by now. */
    release(): void {
      isReleased = true;
      for (const release of held.splice(0)) release();
    },
  };
}

/** null when a body is sent in chunks, without saying how many. */
export function announcedBytesOf({ headers }: { readonly headers: Readonly<Record<string, unknown>> }): number | null {
  if (headers['transfer-encoding'] !== undefined) return null;
  return Number(headers['content-length'] ?? 0);
}
