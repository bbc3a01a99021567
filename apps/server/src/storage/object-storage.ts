import { rm } from 'node:fs/promises';
import type { Readable } from 'node:stream';

/** A file at a path of this machine, until it is disposed of. */
export interface LocalFile extends AsyncDisposable {
  readonly path: string;
}

export interface StoredObject {
  readonly name: string;
  readonly bytes: number;
  /** milliseconds since 1970 */
  readonly changedAtMs: number;
}

/** A range of bytes, both ends included, as in HTTP. */
export interface ByteRange {
  readonly firstByte: number;
  readonly lastByte: number;
}

/** The object that identifies a storage, and the row that identifies the storage of a database. */
export const STORAGE_ID = 'storage-id';

/** Where a server keeps files of its own for a while, below its data folder. Each start empties it. */
export const SCRATCH = 'scratch';

/**
 * Stores recordings and files derived from them under names such as `audio/ID/moments`, in folders of one machine or in a bucket that
 * several share. An object exists completely or not at all.
 *
 * Every method throws `StorageError` within seconds if the storage cannot be used; none waits for it to come back.
 */
export interface ObjectStorage {
  /** Whether other machines see the objects, as in a bucket; if not, they are in folders of this machine. */
  readonly isShared: boolean;
  /** A path of this machine for a file that will be `put` in place. */
  draftPathFor(): Promise<string>;
  /** Moves a file of this machine into the storage under a name, and replaces any object of that name. */
  put(name: string, path: string): Promise<void>;
  /** For programs that read a file by its path. @returns null if the object does not exist. @throws the signal's reason when it aborts */
  open(name: string, signal: AbortSignal): Promise<LocalFile | null>;
  /** Streams an object, or a range of it. @returns null if the object does not exist. @throws the signal's reason when it aborts */
  read(name: string, range: ByteRange | null, signal: AbortSignal): Promise<Readable | null>;
  /** @returns null if the object does not exist */
  bytesOf(name: string): Promise<number | null>;
  /** @returns false if `from` does not exist */
  move(from: string, to: string): Promise<boolean>;
  /** Ignores names that do not exist. */
  remove(names: readonly string[]): Promise<void>;
  /** Objects whose names start with a prefix, in any order. */
  list(prefix: string): AsyncIterable<StoredObject>;
  close(): void;
}

/** Removes all objects whose names start with a prefix. */
export async function removeAll(storage: Pick<ObjectStorage, 'list' | 'remove'>, prefix: string): Promise<void> {
  const names: string[] = [];
  for await (const { name } of storage.list(prefix)) names.push(name);
  await storage.remove(names);
}

/** Writes an object to a draft, then puts it in place. A failure leaves nothing. */
export async function writeObject(
  storage: Pick<ObjectStorage, 'draftPathFor' | 'put'>,
  name: string,
  write: (path: string) => Promise<void>,
): Promise<void> {
  const draft = await storage.draftPathFor();
  try {
    await write(draft);
    await storage.put(name, draft);
  } finally {
    await rm(draft, { force: true });
  }
}
