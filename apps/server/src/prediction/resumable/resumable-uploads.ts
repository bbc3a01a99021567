import { Readable } from 'node:stream';
import { Server } from '@tus/server';
import type { FastifyBaseLogger, FastifyRequest } from 'fastify';
import type { Kysely } from 'kysely';
import type { Database } from '../../database/database.ts';
import type { Tables } from '../../database/tables.ts';
import { HttpProblem } from '../../http/http-problem.ts';
import type { ObjectStorage } from '../../storage/object-storage.ts';
import { StorageError } from '../../storage/storage-error.ts';
import { fileNameOf, type Recording } from '../incoming/receive-upload.ts';
import type { Uploads } from '../incoming/upload-folder.ts';
import { openPieceBucket } from './piece-bucket.ts';
import { openPieceFolder, PIECES } from './piece-folder.ts';
import type { UploadLocks } from './upload-locks.ts';
import { createUploadStore } from './upload-store.ts';

export interface ResumableUploadsOptions {
  readonly database: Database;
  readonly storage: ObjectStorage;
  /** `DATA_DIR`, for when the storage is no bucket */
  readonly dataDir: string;
  /** where jobs look for recordings */
  readonly uploads: Pick<Uploads, 'takeOver'>;
  readonly locks: Pick<UploadLocks, 'take'>;
  readonly log: FastifyBaseLogger;
}

export const UPLOADS_PATH = '/v1/uploads';
const LIFETIME_MS = 86_400_000;
/** As many as a page begins at a time, plus some that were never finished. Beyond that, the oldest is removed. */
const MOST_OF_ACCOUNT = 32;

/** Headers that the protocol reads. Those of proxies are not among them: the library would refuse some. */
const READ_HEADERS = /^(content-length|content-type|tus-resumable|upload-.+)$/;

export type ResumableUploads = Awaited<ReturnType<typeof openResumableUploads>>;

/** Recordings that arrive in pieces, over any number of connections. Each belongs to the account that began it. */
export async function openResumableUploads(options: ResumableUploadsOptions) {
  const { database, storage, dataDir, uploads, locks, log } = options;
  const store = createUploadStore(database);
  const about = { store, lifetimeMs: LIFETIME_MS };
  const pieces = storage.bucket ? await openPieceBucket(storage, storage.bucket, about) : await openPieceFolder(dataDir, about);
  // A length that is stated later could be any.
  pieces.datastore.extensions = pieces.datastore.extensions.filter((name) => name !== 'creation-defer-length');

  async function makeRoom(accountId: string): Promise<void> {
    const begun = await store.ofAccount(accountId);
    for (const { id } of begun.slice(0, Math.max(0, begun.length - MOST_OF_ACCOUNT + 1))) await endAndRemove(id);
  }

  /** Removes an upload. The request that writes it ends with UPLOAD_NOT_FOUND. */
  async function endAndRemove(id: string): Promise<void> {
    const giveBack = await locks.take(id, () => {}, new HttpProblem('UPLOAD_NOT_FOUND', {}));
    try {
      await store.remove(id);
      await pieces.remove(id);
    } finally {
      await giveBack();
    }
  }

  async function sweep(): Promise<void> {
    for (const id of await store.removeOlder(Date.now() - LIFETIME_MS)) await pieces.remove(id);
    // Rows are written before files, so uploads begun meanwhile are known too.
    const found = await pieces.found();
    const known = await store.waitingIds();
    for (const id of found) if (!known.has(id)) await pieces.remove(id);
  }

  return {
    /** Whether that upload exists and belongs to this account. */
    async isOf(accountId: string, id: string): Promise<boolean> {
      const row = await store.find(id);
      return row !== null && row.accountId === accountId && row.usedAtMs === null;
    },

    /**
     * Answers a request of the tus protocol (tus.io, version 1.0.0) by its authors' library, with our database in place of its metadata
     * files. One request at a time writes an upload: a later one ends an earlier one, whose connection may be dead without anyone having
     * noticed. A body that ends early is kept as far as it came.
     *
     * @param id of a new upload, too
     * @param body `refuse` ends it early
     * @throws HttpProblem SERVER_BUSY
     * @throws StorageError
     */
    async exchange(
      accountId: string,
      id: string,
      { method, headers }: Pick<FastifyRequest, 'method' | 'headers'>,
      body: { readonly stream: Readable; readonly refuse: (why: HttpProblem) => void } | null,
    ): Promise<Response> {
      if (method === 'POST') await makeRoom(accountId);
      let failure: unknown;
      // Of this request only, so that the hooks know its sender.
      const server = new Server({
        path: UPLOADS_PATH,
        datastore: pieces.datastore,
        relativeLocation: true,
        namingFunction: () => id,
        async onUploadCreate(_request, { size = 0, metadata = {} }) {
          await store.add({ id, accountId, createdAtMs: Date.now(), bytes: size, metadata: JSON.stringify(metadata) });
          return {};
        },
        onResponseError(_request, error) {
          failure = error;
          return undefined;
        },
      });
      const giveBack = await locks.take(id, (why) => body?.refuse(why));
      try {
        const url = `http://localhost${UPLOADS_PATH}/${id}`;
        const content = body && (Readable.toWeb(body.stream) as ReadableStream<Uint8Array>);
        const sent = { method, body: content, duplex: 'half' as const };
        const request = new Request(url, sent);
        for (const [name, value] of Object.entries(headers))
          if (READ_HEADERS.test(name)) request.headers.set(name, String(value));
        const response = await server.handleWeb(request);
        if (failure instanceof StorageError) throw failure;
        if (response.status >= 500) log.error({ err: failure, uploadId: id }, 'an upload in pieces failed');
        // Access of other origins is handled elsewhere.
        for (const name of ['allow-origin', 'expose-headers']) response.headers.delete(`access-control-${name}`);
        return response;
      } finally {
        await pieces.settled(id);
        await giveBack();
      }
    },

    /**
     * Puts a finished upload where jobs look for recordings. It stays available until a prediction takes it.
     *
     * @throws HttpProblem UPLOAD_NOT_FOUND, UPLOAD_UNFINISHED
     * @throws the signal's reason when it aborts
     */
    async handOver(accountId: string | null, id: string, uploadName: string, signal: AbortSignal): Promise<Recording> {
      const row = accountId === null ? null : await store.find(id);
      if (row === null || row.accountId !== accountId) throw new HttpProblem('UPLOAD_NOT_FOUND', {});
      const { bytes, usedAtMs } = row;
      const fileName = fileNameOf(readFileName(row.metadata));
      if (usedAtMs !== null) {
        if (row.sha256 === null) throw new HttpProblem('UPLOAD_NOT_FOUND', {});
        return { fileName, bytes, sha256: row.sha256, isGone: true };
      }
      const receivedBytes = await pieces.bytesOf(id);
      if (receivedBytes === null) throw new HttpProblem('UPLOAD_NOT_FOUND', {});
      if (receivedBytes < bytes) throw new HttpProblem('UPLOAD_UNFINISHED', { receivedBytes, bytes });
      const sha256 = row.sha256 ?? (await pieces.hashOf(id, signal));
      await store.noteHash(id, sha256);
      if (!(await uploads.takeOver(`${PIECES}/${id}`, uploadName))) throw new HttpProblem('UPLOAD_NOT_FOUND', {});
      const take = (transaction: Kysely<Tables>) => store.take(transaction, id, Date.now());
      return { fileName, bytes, sha256, isStored: true, take, onAccepted: () => pieces.remove(id) };
    },

    /** Removes everything of a deleted or disabled account, or what it began up to a time, on all machines. Idempotent. */
    async deleteAccount(accountId: string, createdUntilMs = Number.MAX_SAFE_INTEGER): Promise<void> {
      const begun = (await store.ofAccount(accountId)).filter(({ createdAtMs }) => createdAtMs <= createdUntilMs);
      await Promise.all(begun.map(({ id }) => endAndRemove(id)));
      for (const id of await store.removeAccount(accountId, createdUntilMs)) await pieces.remove(id);
    },

    /** Removes expired uploads, and files without a row. */
    sweep,
  };
}

/** The file name from the metadata of tus clients. */
function readFileName(metadata: string): string | undefined {
  const { filename } = JSON.parse(metadata) as Readonly<Record<string, string | null>>;
  return filename ?? undefined;
}
