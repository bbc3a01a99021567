/** Quota and room on the disk for one body, of which nobody may know beforehand how long it is. */
export interface BodyRoom {
  /** More of the body has arrived. */
  count(bytes: number): void;
  /** Aborts with the problem when there is no more to be had. */
  readonly signal: AbortSignal;
  /** Gives back what the file system counts by now. */
  release(): void;
}

/** What is taken at a time where the length is not announced. What is held besides is on its way to the disk. */
const STEP_BYTES = 1_000_000;
const STEPS_HELD = 8;

/**
 * @param announcedBytes null when the body comes in chunks: then room is taken as it arrives
 * @param take takes so many bytes. @returns gives them back
 * @throws whatever `take` throws for what is announced, or for the first step
 */
export async function openBodyRoom(
  announcedBytes: number | null,
  take: (bytes: number) => Promise<() => void>,
): Promise<BodyRoom> {
  const refusal = new AbortController();
  const held = [await take(announcedBytes ?? STEP_BYTES)];
  let roomBytes = announcedBytes ?? STEP_BYTES;
  let arrivedBytes = 0;
  let isGrowing = false;
  let isReleased = false;

  async function grow(): Promise<void> {
    isGrowing = true;
    try {
      while (arrivedBytes > roomBytes && !isReleased) {
        const release = await take(STEP_BYTES);
        if (isReleased) return release();
        held.push(release);
        roomBytes += STEP_BYTES;
        while (held.length > STEPS_HELD) held.shift()?.();
      }
    } catch (error) {
      refusal.abort(error);
    } finally {
      isGrowing = false;
    }
  }

  return {
    count(bytes) {
      arrivedBytes += bytes;
      if (arrivedBytes > roomBytes && !isGrowing && !isReleased) void grow();
    },
    signal: refusal.signal,
    release() {
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
