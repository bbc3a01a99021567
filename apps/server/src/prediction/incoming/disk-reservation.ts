import { statfs } from 'node:fs/promises';
import { HttpProblem } from '../../http/http-problem.ts';
import { FULL_RETRY_SECONDS } from '../../http/storage-problem.ts';

export type DiskGuard = ReturnType<typeof createDiskGuard>;

/**
 * Keeps recordings from filling the disk that holds answers and accounts.
 *
 * @param freeBytesOf free bytes on the disk of a folder; for tests
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
    /** Checks that this much could be written now. @throws HttpProblem STORAGE_FULL */
    check,
    /**
     * @param bytes about to be written; reservations of several writers add up
     * @returns a function that releases them, to call when the file system counts them or they are not needed
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

/** Bytes taken per step, ahead of what arrives. The last steps stay reserved while their bytes are on the way to the disk. */
const STEP_BYTES = 1_000_000;
const STEPS_HELD = 8;

/**
 * Takes quota and disk space for one body as it arrives: a mere announcement takes nothing.
 *
 * @param announcedBytes null when the body comes in chunks; never more than this is taken
 * @param take takes this many bytes. @returns a function that gives them back
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
    /** Notes that more of the body has arrived. */
    count(bytes: number): void {
      arrivedBytes += bytes;
      if (arrivedBytes > roomBytes && !isGrowing && !isReleased) void grow();
    },
    /** Aborts with the problem when no more can be taken. */
    signal: refusal.signal,
    /** bytes taken so far */
    get takenBytes() {
      return roomBytes;
    },
    /** Releases what the file system counts by now. */
    release(): void {
      isReleased = true;
      for (const release of held.splice(0)) release();
    },
  };
}

/** The stated length of a body; null when it is sent in chunks. */
export function announcedBytesOf({ headers }: { readonly headers: Readonly<Record<string, unknown>> }): number | null {
  if (headers['transfer-encoding'] !== undefined) return null;
  return Number(headers['content-length'] ?? 0);
}
