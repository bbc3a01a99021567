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
  const newPath = (): string => join(folder, randomUUID());
  let totalBytes = 0;
  const isKnown = (copy: Copy): boolean => copies.get(copy.name) === copy;

  function add(copy: Copy, bytes: number): void {
    copy.bytes = bytes;
    totalBytes += bytes;
  }

  /** Its file stays for its readers. */
  function forget(copy: Copy): void {
    if (!isKnown(copy)) return;
    copies.delete(copy.name);
    totalBytes -= copy.bytes;
  }

  function begin(name: string): Copy {
    const path = newPath();
    const fetching = new AbortController();
    const isThere = fetchTo(name, path, fetching.signal).then(async (found) => {
      const { size } = found ? await stat(path) : { size: 0 };
      if (isKnown(copy)) add(copy, size);
      return found;
    });
    const copy: Copy = { name, path, isThere, fetching, bytes: 0, readers: 0, leftAtMs: 0 };
    copies.set(name, copy);
    isThere.then(
      (found) => found || forget(copy),
      () => forget(copy),
    );
    return copy;
  }

  async function leave(copy: Copy): Promise<void> {
    copy.readers -= 1;
    if (copy.readers > 0) return;
    copy.leftAtMs = performance.now();
    copy.fetching.abort(new DOMException('Nothing waits for it any more', 'AbortError'));
    if (!isKnown(copy)) await rm(copy.path, { force: true });
    await shrink();
  }

  async function drop(copy: Copy): Promise<void> {
    forget(copy);
    if (copy.readers === 0) await rm(copy.path, { force: true });
  }

  async function shrink(): Promise<void> {
    for (const copy of [...copies.values()]) {
      if (totalBytes <= maxBytes) return;
      if (copy.readers === 0) await drop(copy);
    }
  }

  async function dropIdle(): Promise<void> {
    const beforeMs = performance.now() - maxIdleMs;
    for (const copy of [...copies.values()]) if (copy.readers === 0 && copy.leftAtMs < beforeMs) await drop(copy);
  }
  const looking = setInterval(() => void dropIdle(), Math.min(LOOK_EVERY_MS, maxIdleMs)).unref();

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
      try {
        if (await unlessAborted(copy.isThere, signal)) {
          return { path: copy.path, [Symbol.asyncDispose]: () => leave(copy) };
        }
      } catch (error) {
        await leave(copy);
        throw error;
      }
      await leave(copy);
      return null;
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
    close: () => clearInterval(looking),
  };
}
