import type { ReadStream } from 'node:fs';
import { PassThrough, type Readable } from 'node:stream';
import type { S3ClientConfig } from '@aws-sdk/client-s3';
import type { MetadataValue } from '@tus/s3-store';
import type { Upload } from '@tus/server';
import type { BucketAccess, ObjectStorage } from '../../storage/object-storage.ts';
import { explainS3, isMissing } from '../../storage/s3-client.ts';
import { StorageError } from '../../storage/storage-error.ts';
import { PIECES, type Pieces, type PiecesOptions } from './piece-folder.ts';

/** Larger ones are fewer requests, smaller ones less that a broken connection sends again. */
const PART_BYTES = 8 * 1024 * 1024;
/** What a part of that size may take. It is not sent again from here: its sender goes on where the storage has got to. */
const REQUEST_MS = 10_000;
const REMEMBERED = 256;
/** What the storage is told about ID.part: the bytes of the upload before it. */
const STARTS_AT = 'starts-at';
/** What has no row may be about to have one; older uploads are forgotten anyway. */
const LEFT_OVER_AFTER_MS = 2 * 86_400_000;

/**
 * In a bucket, where every web machine finds them, by the protocol's authors' own library. An upload is a multipart upload of the storage with an
 * object ID.info beside it, and ID.part for the rest, which is too short for a part.
 *
 * At every moment the parts and a rest that starts where they end are what has arrived. The library alone would not keep that when a machine is
 * killed: it deletes the rest before it stores it again with what follows, and stores parts in any order.
 */
export async function openPieceBucket(
  storage: ObjectStorage,
  bucket: BucketAccess,
  { lifetimeMs }: PiecesOptions,
): Promise<Pieces> {
  const { S3Store } = await import('@tus/s3-store');
  // It writes parts to the system's temporary folder on their way, for everybody to read unless this says otherwise.
  process.umask(0o077);
  const writing = new Map<string, Promise<unknown>>();
  /** Per upload, what this process stores last. */
  const storing = new Map<string, Promise<unknown>>();
  /** Uploads whose rest goes on in what this process stores. */
  const takenUp = new Set<string>();
  const objectsOf = (id: string): string[] => [id, `${id}.info`, `${id}.part`].map((name) => `${PIECES}/${name}`);

  class BucketStore extends S3Store {
    constructor(settings: S3ClientConfig) {
      super({
        s3ClientConfig: { ...settings, bucket: bucket.name },
        expirationPeriodInMilliseconds: lifetimeMs,
        useTags: false,
        partSize: PART_BYTES,
        cache: lastOnes(),
      });
      // Its objects have our names, and its errors are told as ours are.
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
      // The library takes everything that goes wrong here for an upload that is gone.
      await this.getMetadata(id).catch((error: unknown) => {
        if (error instanceof StorageError) throw error;
      });
      return super.getUpload(id);
    }

    /** Stores what has arrived also when the connection breaks. */
    override async write(source: Readable, id: string, offset: number): Promise<number> {
      const arrived = new PassThrough();
      let broken: Error | null = null;
      source.on('error', (error) => {
        broken = error;
        arrived.end();
      });
      source.pipe(arrived);
      const written = super.write(arrived, id, offset).finally(() => {
        storing.delete(id);
        takenUp.delete(id);
      });
      writing.set(
        id,
        written.catch(() => {}),
      );
      const newOffset = await written;
      if (broken !== null) throw broken;
      return newOffset;
    }

    protected override uploadPart(
      metadata: MetadataValue,
      body: ReadStream | Readable | Buffer,
      partNumber: number,
    ): Promise<string> {
      const { id } = metadata.file;
      return this.afterPartsBefore(id, async () => {
        const stored = await super.uploadPart(metadata, body, partNumber);
        // A program of before STARTS_AT, which may be another machine's during an upgrade, would count it twice.
        if (takenUp.delete(id)) await super.deleteIncompletePart(id);
        return stored;
      });
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

    /** @returns undefined also for a rest that has become part of a part */
    protected override async getIncompletePartSize(id: string): Promise<number | undefined> {
      try {
        const rest = await this.client.headObject({ Bucket: this.bucket, Key: this.partKey(id, true) });
        // Without it, it is of a program that removes each rest before it goes on.
        const startsAt = rest.Metadata?.[STARTS_AT];
        return startsAt === undefined || Number(startsAt) === (await this.bytesInParts(id)) ? rest.ContentLength : undefined;
      } catch (error) {
        if (isMissing(error)) return undefined;
        throw error;
      }
    }

    protected override async getIncompletePart(id: string): Promise<Readable | undefined> {
      if ((await this.getIncompletePartSize(id)) === undefined) return undefined;
      takenUp.add(id);
      return super.getIncompletePart(id);
    }

    /** It stays until it is part of a part, or a longer one replaces it. */
    protected override async deleteIncompletePart(): Promise<void> {}

    /** Makes one object of all parts of an upload that was cut off just before that. */
    async finish(id: string): Promise<void> {
      await this.finishMultipartUpload(await this.getMetadata(id), await this.retrieveParts(id));
    }

    override async remove(id: string): Promise<void> {
      try {
        const { 'upload-id': UploadId } = await this.getMetadata(id);
        await this.client.abortMultipartUpload({ Bucket: this.bucket, Key: id, UploadId });
      } catch (error) {
        // It is whole, or gone.
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

/** Whether a multipart upload is there no more: it is whole, or was removed. */
const isEnded = (error: unknown): boolean => error instanceof Error && error.name === 'NoSuchUpload';

/** What is known of an upload never changes, so any machine may remember it. */
function lastOnes() {
  const known = new Map<string, MetadataValue>();
  return {
    get: async (id: string) => known.get(id),
    async set(id: string, value: MetadataValue) {
      known.set(id, value);
      const [oldest] = known.keys();
      if (known.size > REMEMBERED && oldest !== undefined) known.delete(oldest);
    },
    async delete(id: string) {
      known.delete(id);
    },
  };
}
