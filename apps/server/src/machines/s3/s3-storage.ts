import { randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { S3Client } from '@aws-sdk/client-s3';
import pLimit from 'p-limit';
import type { BucketAddress } from '../../config/variable.ts';
import { openLocalCopies } from '../../storage/local-copies.ts';
import type { ByteRange, ObjectStorage } from '../../storage/object-storage.ts';
import { hasStorageCode } from '../../storage/storage-error.ts';
import { explainS3, isMissing, loadS3, openDeadline, type S3Access, settingsOf } from './s3-client.ts';

export interface S3StorageOptions extends S3Access {
  readonly address: BucketAddress;
  /** For drafts and local copies; used by this process only, and emptied now. */
  readonly scratchFolder: string;
  /** milliseconds without a response or progress, after which the storage counts as unreachable */
  readonly patienceMs?: number | undefined;
  /** bytes up to which local copies without readers are kept */
  readonly localBytes?: number;
  /** how long they are kept, in milliseconds */
  readonly localIdleMs?: number;
}

/** A request may have to wait for two responses, one after the other. */
const PATIENCE_MS = 5_000;
const LOCAL_BYTES = 1024 * 1024 * 1024;
/** A storage may read all of a large object before it confirms it. */
const SLOWEST_STORING_BYTES_PER_MS = 10_000;
const PUT_TRIES = 2;
const REMOVED_AT_ONCE = 8;

/**
 * Objects in a bucket of an S3-compatible storage. Uses only PutObject, GetObject, HeadObject, CopyObject, DeleteObject and ListObjectsV2.
 */
export async function openS3Storage(options: S3StorageOptions): Promise<ObjectStorage> {
  const { address, scratchFolder, patienceMs = PATIENCE_MS, localBytes = LOCAL_BYTES, localIdleMs } = options;
  const s3 = await loadS3();
  const settings = settingsOf(options);
  const client: S3Client = new s3.S3Client(settings);
  const { bucket: Bucket } = address;
  const start = address.prefix === '' ? '' : `${address.prefix}/`;
  const at = (name: string) => ({ Bucket, Key: `${start}${name}` });
  const removing = pLimit(REMOVED_AT_ONCE);

  /** @throws StorageError */
  async function ask<Answer>(send: (signal: AbortSignal) => Promise<Answer>, withinMs = patienceMs): Promise<Answer> {
    using deadline = openDeadline(withinMs);
    try {
      return await send(deadline.signal);
    } catch (error) {
      throw explainS3(error, deadline.signal);
    }
  }

  /** null if the object does not exist */
  const find = <Answer>(send: (signal: AbortSignal) => Promise<Answer>, withinMs?: number): Promise<Answer | null> =>
    ask(
      (signal) =>
        send(signal).catch((error: unknown) => {
          if (isMissing(error)) return null;
          throw error;
        }),
      withinMs,
    );
  const storingMs = (bytes: number): number => patienceMs + bytes / SLOWEST_STORING_BYTES_PER_MS;

  async function get(name: string, range: ByteRange | null, signal: AbortSignal): Promise<Readable | null> {
    const Range = range === null ? undefined : `bytes=${range.firstByte}-${range.lastByte}`;
    const stop = new AbortController();
    const ended = AbortSignal.any([stop.signal, signal]);
    // The deadline is for the start of the response: its reader may take longer.
    const found = await find((late) => {
      late.addEventListener('abort', () => stop.abort(late.reason), { once: true });
      return client.send(new s3.GetObjectCommand({ ...at(name), Range }), { abortSignal: ended });
    }).catch((error: unknown) => {
      signal.throwIfAborted();
      throw error;
    });
    return found === null ? null : (found.Body as Readable);
  }

  /** Reads a whole object into a file, as fast as it arrives. @returns false if it does not exist */
  async function fetchTo(name: string, path: string, signal: AbortSignal): Promise<boolean> {
    const body = await get(name, null, signal);
    if (body === null) return false;
    using deadline = openDeadline(patienceMs, signal);
    body.on('data', () => deadline.extend(patienceMs));
    try {
      await pipeline(body, createWriteStream(path, { flags: 'wx', mode: 0o600 }), { signal: deadline.signal });
      return true;
    } catch (error) {
      await rm(path, { force: true });
      signal.throwIfAborted();
      throw explainS3(error, deadline.signal);
    }
  }

  async function send(name: string, path: string): Promise<void> {
    const { size } = await stat(path);
    const unreadable = new AbortController();
    using deadline = openDeadline(storingMs(size), unreadable.signal);
    const body = createReadStream(path);
    body.on('error', (error) => unreadable.abort(error));
    body.on('data', () => deadline.extend(storingMs(size))).pause();
    try {
      const command = new s3.PutObjectCommand({ ...at(name), Body: body, ContentLength: size });
      await client.send(command, { abortSignal: deadline.signal });
    } catch (error) {
      throw explainS3(error, deadline.signal);
    } finally {
      body.destroy();
    }
  }

  async function bytesOf(name: string): Promise<number | null> {
    const found = await find((abortSignal) => client.send(new s3.HeadObjectCommand(at(name)), { abortSignal }));
    return found === null ? null : (found.ContentLength ?? 0);
  }

  async function copy(from: string, to: string): Promise<boolean> {
    const bytes = await bytesOf(from);
    if (bytes === null) return false;
    const CopySource = encodeURIComponent(`${Bucket}/${start}${from}`).replaceAll('%2F', '/');
    const command = new s3.CopyObjectCommand({ ...at(to), CopySource });
    return (await find((abortSignal) => client.send(command, { abortSignal }), storingMs(bytes))) !== null;
  }

  const drafts = join(scratchFolder, 'drafts');
  await rm(scratchFolder, { recursive: true, force: true });
  await mkdir(drafts, { recursive: true, mode: 0o700 });
  const copies = await openLocalCopies({
    folder: join(scratchFolder, 'copies'),
    maxBytes: localBytes,
    maxIdleMs: localIdleMs,
    fetchTo,
  });

  async function remove(names: readonly string[]): Promise<void> {
    // One by one: bulk deletion needs a checksum, which must be MD5 for some storages and must not be for others.
    await Promise.all(
      names.map((name) =>
        removing(async () => {
          await copies.remove(name);
          await find((abortSignal) => client.send(new s3.DeleteObjectCommand(at(name)), { abortSignal }));
        }),
      ),
    );
  }

  return {
    isShared: true,
    draftPathFor: async () => join(drafts, randomUUID()),
    async put(name, path) {
      const start = performance.now();
      for (let tried = 1; ; tried += 1) {
        try {
          await send(name, path);
          break;
        } catch (error) {
          // Retries after a broken connection, because the client itself cannot resend a stream. A caller that has waited in vain does not
          // wait again.
          const hasWaited = performance.now() - start > patienceMs;
          if (tried === PUT_TRIES || hasWaited || !hasStorageCode(error, 'AWAY')) throw error;
        }
      }
      await copies.remove(name);
      await rm(path);
    },
    open: (name, signal) => copies.open(name, signal),
    read: get,
    bytesOf,
    async move(from, to) {
      if (!(await copy(from, to))) return false;
      await copies.rename(from, to);
      await remove([from]);
      return true;
    },
    remove,
    async *list(prefix) {
      let ContinuationToken: string | undefined;
      do {
        const page = await ask((abortSignal) =>
          client.send(new s3.ListObjectsV2Command({ Bucket, Prefix: `${start}${prefix}`, ContinuationToken }), { abortSignal }),
        );
        for (const { Key = '', Size = 0, LastModified } of page.Contents ?? []) {
          yield { name: Key.slice(start.length), bytes: Size, changedAtMs: LastModified?.getTime() ?? Date.now() };
        }
        ContinuationToken = page.NextContinuationToken;
      } while (ContinuationToken !== undefined);
    },
    close() {
      copies.close();
      client.destroy();
    },
  };
}
