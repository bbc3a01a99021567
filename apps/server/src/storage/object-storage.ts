import type { Readable } from 'node:stream';
import type { S3ClientConfig } from '@aws-sdk/client-s3';

/** A file that lies at a path of this machine until it is disposed of. */
export interface LocalFile extends AsyncDisposable {
  readonly path: string;
}

export interface StoredObject {
  readonly name: string;
  readonly bytes: number;
  /** milliseconds since 1970 */
  readonly changedAtMs: number;
}

/** For libraries that use a bucket by themselves. */
export interface BucketAccess {
  readonly name: string;
  /** What the names of our objects begin with there. */
  readonly start: string;
  readonly settings: Omit<S3ClientConfig, 'requestHandler'> & { readonly requestHandler: object };
}

/** Both ends are part of it, as in HTTP. */
export interface ByteRange {
  readonly firstByte: number;
  readonly lastByte: number;
}

/**
 * Recordings and what is made of them, by names such as `audio/ID/moments`: folders of one machine, or a bucket that many share. What has a
 * name is there whole or not at all.
 *
 * Everything throws `StorageError` when the storage cannot be used, within seconds; nothing waits for it to come back.
 */
export interface ObjectStorage {
  /** null for folders of this machine; what is put in a bucket, other machines see. */
  readonly bucket: BucketAccess | null;
  /** Where a file lies on this machine; null in a bucket. */
  localPathOf(name: string): string | null;
  /** A path of this machine for a file that is to be put under a name. */
  draftPathFor(name: string): Promise<string>;
  /** Puts a file of this machine under a name; the path is free afterwards. What had the name is replaced. */
  put(name: string, path: string): Promise<void>;
  /** For programs that read a file by its path. @returns null when there is none of that name. @throws the signal's reason when it aborts */
  open(name: string, signal: AbortSignal): Promise<LocalFile | null>;
  /** As it comes; all of it without a range. @returns null when there is none of that name. @throws the signal's reason when it aborts */
  read(name: string, range: ByteRange | null, signal: AbortSignal): Promise<Readable | null>;
  /** @returns null when there is none of that name */
  bytesOf(name: string): Promise<number | null>;
  /** SHA-256 in hex. @returns null when there is none of that name. @throws the signal's reason when it aborts */
  hashOf(name: string, signal: AbortSignal): Promise<string | null>;
  /** @returns false when there is none of that name */
  move(from: string, to: string): Promise<boolean>;
  /** The same; both have their names afterwards. */
  copy(from: string, to: string): Promise<boolean>;
  /** Does no harm to what is not there. */
  remove(names: readonly string[]): Promise<void>;
  /** What has a name that begins so, in any order. */
  list(prefix: string): AsyncIterable<StoredObject>;
  close(): void;
}
