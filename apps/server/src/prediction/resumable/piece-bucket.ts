import type { ReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import type { S3ClientConfig } from '@aws-sdk/client-s3';
import type { MetadataValue } from '@tus/s3-store';
import type { Upload } from '@tus/server';
import { createRecentValues } from '../../recent-values.ts';
import type { BucketAccess, ObjectStorage } from '../../storage/object-storage.ts';
import { explainS3, isMissing } from '../../storage/s3-client.ts';
import { StorageError } from '../../storage/storage-error.ts';
import { PIECES, type Pieces, type PiecesOptions } from './piece-folder.ts';

/** Larger parts mean fewer requests; smaller ones, fewer bytes to send again after a broken connection. */
const PART_BYTES = 8 * 1024 * 1024;
/** The time for one part. It is not retried from here: the client resumes where the storage has got to. */
const REQUEST_MS = 10_000;
const REMEMBERED = 256;
/** Metadata of ID.part: the bytes of the upload before it. */
const STARTS_AT = 'starts-at';
/** Something without a row may be about to get one; older uploads have expired anyway. */
const LEFT_OVER_AFTER_MS = 2 * 86_400_000;

/**
 * Pieces in a bucket, where every web machine finds them, through the library of the protocol's authors. An upload is a multipart upload of
 * the storage, with an object ID.info, and ID.part for the rest that is too short for a part.
 *
 * At every moment, the parts and a rest that starts where they end are what has arrived. The library alone does not guarantee this when a
 * machine is killed: it deletes the rest before it stores it again with what follows, and stores parts in any order.
 */
export async function openPieceBucket(
  storage: ObjectStorage,
  bucket: BucketAccess,
  { lifetimeMs }: PiecesOptions,
): Promise<Pieces> {
  const { S3Store } = await import('@tus/s3-store');
  // The library writes parts to the system's temporary folder, readable by everyone without this.
  process.umask(0o077);
  const recent = createRecentValues<MetadataValue>(REMEMBERED);
  const writing = new Map<string, Promise<unknown>>();
  /** The last storing operation of this process, per upload. */
  const storing = new Map<string, Promise<unknown>>();
  const objectsOf = (id: string): string[] => [id, `${id}.info`, `${id}.part`].map((name) => `${PIECES}/${name}`);

  class BucketStore extends S3Store {
    constructor(settings: S3ClientConfig) {
      super({
        s3ClientConfig: { ...settings, bucket: bucket.name },
        expirationPeriodInMilliseconds: lifetimeMs,
        useTags: false,
        partSize: PART_BYTES,
        // Their metadata never changes, so any machine may cache it.
        cache: {
          get: async (id) => recent.get(id),
          set: async (id, value) => recent.set(id, value),
          delete: async (id) => recent.delete(id),
        },
      });
      // Maps object names to ours, and errors to `StorageError`.
      this.client.middlewareStack.add(
        (next) => async (request) => {
          const input: object = request.input;
          const named = 'Key' in input ? { ...input, Key: `${bucket.start}${PIECES}/${String(input.Key)}` } : input;
          try {
            return await next({ ...request, input: named as typeof request.input });
          } catch (error) {
            throw isMissing(error) || isEnded(error) ? error : explainS3(error);
          }
        },
        { step: 'initialize' },
      );
    }

    override async getUpload(id: string): Promise<Upload> {
      // The library treats every error here as a missing upload.
      await this.getMetadata(id).catch((error: unknown) => {
        if (error instanceof StorageError) throw error;
      });
      return super.getUpload(id);
    }

    override write(source: Readable, id: string, offset: number): Promise<number> {
      const written = super.write(source, id, offset).finally(() => storing.delete(id));
      writing.set(
        id,
        written.catch(() => {}),
      );
      return written;
    }

    protected override uploadPart(
      metadata: MetadataValue,
      body: ReadStream | Readable | Buffer,
      partNumber: number,
    ): Promise<string> {
      return this.afterPartsBefore(metadata.file.id, () => super.uploadPart(metadata, body, partNumber));
    }

    protected override uploadIncompletePart(id: string, body: Readable): Promise<string> {
      return this.afterPartsBefore(id, async () => {
        const Metadata = { [STARTS_AT]: String(await this.bytesInParts(id)) };
        const stored = await this.client.putObject({ Bucket: this.bucket, Key: this.partKey(id, true), Body: body, Metadata });
        return stored.ETag ?? '';
      });
    }

    private afterPartsBefore(id: string, store: () => Promise<string>): Promise<string> {
      const stored = (storing.get(id) ?? Promise.resolve()).then(store);
      storing.set(id, stored);
      return stored;
    }

    private async bytesInParts(id: string): Promise<number> {
      return (await this.retrieveParts(id)).reduce((bytes, { Size = 0 }) => bytes + Size, 0);
    }

    /** @returns undefined also for a rest that is now included in a part */
    protected override async getIncompletePartSize(id: string): Promise<number | undefined> {
      try {
        const rest = await this.client.headObject({ Bucket: this.bucket, Key: this.partKey(id, true) });
        return Number(rest.Metadata?.[STARTS_AT]) === (await this.bytesInParts(id)) ? rest.ContentLength : undefined;
      } catch (error) {
        if (isMissing(error)) return undefined;
        throw error;
      }
    }

    protected override async getIncompletePart(id: string): Promise<Readable | undefined> {
      return (await this.getIncompletePartSize(id)) === undefined ? undefined : super.getIncompletePart(id);
    }

    /** Does nothing: the rest stays until a longer one replaces it, and does not count once a part includes it. */
    protected override async deleteIncompletePart(): Promise<void> {}

    /** Completes an upload that was interrupted just before its parts were joined. */
    async finish(id: string): Promise<void> {
      await this.finishMultipartUpload(await this.getMetadata(id), await this.retrieveParts(id));
    }

    override async remove(id: string): Promise<void> {
      try {
        const { 'upload-id': UploadId } = await this.getMetadata(id);
        await this.client.abortMultipartUpload({ Bucket: this.bucket, Key: id, UploadId });
      } catch (error) {
        // It is complete, or no longer exists.
        if (!isMissing(error) && !isEnded(error)) throw error;
      }
      await this.clearCache(id);
      await storage.remove(objectsOf(id));
    }
  }

  const { requestHandler } = bucket.settings;
  const datastore = new BucketStore({
    ...bucket.settings,
    maxAttempts: 1,
    requestHandler: { ...requestHandler, requestTimeout: REQUEST_MS, throwOnRequestTimeout: true },
  });

  return {
    datastore,
    bytesOf: async (id) =>
      datastore.getUpload(id).then(
        ({ offset }) => offset,
        (error: unknown) => {
          if (error instanceof Error) throw error;
          return null;
        },
      ),
    async hashOf(id, signal) {
      const hash = await storage.hashOf(`${PIECES}/${id}`, signal);
      if (hash !== null) return hash;
      await datastore.finish(id);
      const finished = await storage.hashOf(`${PIECES}/${id}`, signal);
      if (finished === null) throw new Error('An upload is gone.');
      return finished;
    },
    async settled(id) {
      await writing.get(id);
      writing.delete(id);
    },
    remove: (id) => datastore.remove(id),
    async found() {
      const ids = new Set<string>();
      for await (const { name, changedAtMs } of storage.list(`${PIECES}/`)) {
        if (Date.now() - changedAtMs > LEFT_OVER_AFTER_MS) ids.add(name.slice(PIECES.length + 1).replace(/\.(info|part)$/, ''));
      }
      return [...ids];
    },
  };
}

/** Whether a multipart upload no longer exists, because it was completed or removed. */
const isEnded = (error: unknown): boolean => error instanceof Error && error.name === 'NoSuchUpload';
