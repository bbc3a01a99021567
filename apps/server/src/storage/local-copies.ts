import { randomUUID } from 'node:crypto';
import { mkdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { unlessAborted } from '../unless-aborted.ts';
import type { LocalFile } from './object-storage.ts';

export interface LocalCopiesOptions {
  /** Used by this process only; emptied now. */
  readonly folder: string;
  /** Beyond this size, copies without readers are deleted, least recently read first. */
  readonly maxBytes: number;
  /** Copies without readers for this long are deleted too. */
  readonly maxIdleMs?: number | undefined;
  /** Fetches an object to a path. @returns false if it does not exist */
  readonly fetchTo: (name: string, path: string, signal: AbortSignal) => Promise<boolean>;
}

interface Copy {
  name: string;
  readonly path: string;
  readonly isThere: Promise<boolean>;
  readonly fetching: AbortController;
  bytes: number;
  readers: number;
  /** when the last reader left, by `performance.now()` */
  leftAtMs: number;
}

/** Another machine may have deleted the object, so copies without readers are kept no longer than this. */
const MOST_IDLE_MS = 600_000;
const LOOK_EVERY_MS = 60_000;

/** Local copies of recently read objects, so that repeated reads, as for the tiles of a spectrogram, fetch an object once. */
export async function openLocalCopies({ folder, maxBytes, maxIdleMs = MOST_IDLE_MS, fetchTo }: LocalCopiesOptions) {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true, mode: 0o700 });
  /** Most recently read last. A copy that leaves this map is deleted once it has no readers. */
  const copies = new Map<string, Copy>();
  const isKnown = (copy: Copy): boolean => copies.get(copy.name) === copy;

  /** Its file stays for its readers. */
  async function drop(copy: Copy): Promise<void> {
    if (isKnown(copy)) copies.delete(copy.name);
    if (copy.readers === 0) await rm(copy.path, { force: true });
  }

  function begin(name: string): Copy {
    const path = join(folder, randomUUID());
    const fetching = new AbortController();
    const isThere = fetchTo(name, path, fetching.signal).then(async (found) => {
      if (found) copy.bytes = (await stat(path)).size;
      return found;
    });
    const copy: Copy = { name, path, isThere, fetching, bytes: 0, readers: 0, leftAtMs: 0 };
    isThere.then(
      (found) => (found ? undefined : drop(copy)),
      () => drop(copy),
    );
    return copy;
  }

  async function leave(copy: Copy): Promise<void> {
    copy.readers -= 1;
    if (copy.readers > 0) return;
    copy.leftAtMs = performance.now();
    copy.fetching.abort(new DOMException('Nothing waits for it any more', 'AbortError'));
    if (!isKnown(copy)) await drop(copy);
    await shrink();
  }

  /** Deletes copies without readers: idle ones, and the least recently read as long as there are too many. */
  async function shrink(): Promise<void> {
    const all = [...copies.values()];
    let totalBytes = all.reduce((sum, { bytes }) => sum + bytes, 0);
    for (const copy of all) {
      const isIdle = performance.now() - copy.leftAtMs > maxIdleMs;
      if (copy.readers > 0 || (totalBytes <= maxBytes && !isIdle)) continue;
      totalBytes -= copy.bytes;
      await drop(copy);
    }
  }
  const shrinking = setInterval(() => void shrink(), Math.min(LOOK_EVERY_MS, maxIdleMs)).unref();

  async function remove(name: string): Promise<void> {
    const copy = copies.get(name);
    if (copy !== undefined) await drop(copy);
  }

  return {
    /** @returns null if the object does not exist. @throws the signal's reason when it aborts */
    async open(name: string, signal: AbortSignal): Promise<LocalFile | null> {
      signal.throwIfAborted();
      const copy = copies.get(name) ?? begin(name);
      copies.delete(name);
      copies.set(name, copy);
      copy.readers += 1;
      await using reading = new AsyncDisposableStack();
      const file = reading.use({ path: copy.path, [Symbol.asyncDispose]: () => leave(copy) });
      if (!(await unlessAborted(copy.isThere, signal))) return null;
      reading.move();
      return file;
    },
    /** Call when an object was renamed. */
    async rename(from: string, to: string): Promise<void> {
      await remove(to);
      const copy = copies.get(from);
      if (copy === undefined) return;
      copies.delete(from);
      copy.name = to;
      copies.set(to, copy);
    },
    /** Call when an object was deleted or replaced. */
    remove,
    close: () => clearInterval(shrinking),
  };
}
