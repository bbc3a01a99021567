import { Readable } from 'node:stream';
import { Server } from '@tus/server';
import type { FastifyRequest } from 'fastify';
import type { Kysely } from 'kysely';
import type { Database } from '../../database/database.ts';
import type { Tables } from '../../database/tables.ts';
import { HttpProblem, RETRY_AFTER_SECONDS } from '../../http/http-problem.ts';
import type { ObjectStorage } from '../../storage/object-storage.ts';
import { StorageError } from '../../storage/storage-error.ts';
import type { DiskGuard } from '../incoming/disk-guard.ts';
import { fileNameOf, type Recording, writeHashed } from '../incoming/receive-upload.ts';
import { LIFETIME_MS, UploadParts } from './upload-parts.ts';
import { createUploadStore } from './upload-store.ts';

export interface ResumableUploadsOptions {
  readonly database: Database;
  readonly storage: ObjectStorage;
  readonly diskGuard: Pick<DiskGuard, 'admit'>;
}

export const UPLOADS_PATH = '/v1/uploads';
/** As many as a page begins at a time, plus some that were never finished. Beyond that, the oldest is removed. */
const MOST_OF_ACCOUNT = 32;

/** Headers that the protocol reads. Those of proxies are not among them: the library would refuse some. */
const READ_HEADERS = /^(content-length|content-type|tus-resumable|upload-.+)$/;

/** A request that writes an upload on this machine. */
interface Writer {
  readonly interrupt: (why: HttpProblem) => void;
  readonly over: Promise<void>;
}

export type ResumableUploads = ReturnType<typeof createResumableUploads>;

/** Recordings that arrive in pieces, over any number of connections. Each belongs to the account that began it. */
export function createResumableUploads({ database, storage, diskGuard }: ResumableUploadsOptions) {
  const store = createUploadStore(database);
  const openParts = () => new UploadParts({ storage, rows: store });
  const parts = openParts();
  /** The latest request for an upload, which has ended those before it. */
  const writers = new Map<string, Writer>();

  /**
   * Ends the request of this machine that writes an upload, and waits until what it got is stored. On other machines it may go on.
   *
   * @param interrupt called when a later request wants the upload
   * @param why for the request that is ended
   */
  async function takeTurn(
    id: string,
    interrupt: Writer['interrupt'],
    why: HttpProblem = new HttpProblem('SERVER_BUSY', { retryAfterSeconds: RETRY_AFTER_SECONDS }),
  ): Promise<Disposable> {
    const before = writers.get(id);
    const { promise: over, resolve } = Promise.withResolvers<void>();
    const turn = { interrupt, over };
    writers.set(id, turn);
    before?.interrupt(why);
    await before?.over;
    return {
      [Symbol.dispose]() {
        if (writers.get(id) === turn) writers.delete(id);
        resolve();
      },
    };
  }

  async function makeRoom(accountId: string): Promise<void> {
    const begun = (await store.ofAccount(accountId)).filter(({ usedAtMs }) => usedAtMs === null);
    for (const { id } of begun.slice(0, Math.max(0, begun.length - MOST_OF_ACCOUNT + 1))) await endAndRemove(id);
  }

  /** Removes an upload. The request that writes it ends with UPLOAD_NOT_FOUND. */
  async function endAndRemove(id: string): Promise<void> {
    using _turn = await takeTurn(id, () => {}, new HttpProblem('UPLOAD_NOT_FOUND', {}));
    await parts.remove(id);
  }

  async function sweep(): Promise<void> {
    await store.removeOlder(Date.now() - LIFETIME_MS);
    // Rows are written before parts, so uploads begun meanwhile are known too.
    const found = await parts.ids();
    const known = await store.waitingIds();
    for (const id of found) if (!known.has(id)) await parts.removeParts(id);
  }

  return {
    /** What a client is told that asks for the server's abilities. */
    protocol: { 'tus-resumable': '1.0.0', 'tus-version': '1.0.0', 'tus-extension': parts.extensions.join(',') },

    /** Whether that upload exists and belongs to this account. */
    async isOf(accountId: string, id: string): Promise<boolean> {
      return (await store.findUnused(id))?.accountId === accountId;
    },

    /**
     * Answers a request of the tus protocol (tus.io, version 1.0.0) by its authors' library, with our database in place of its metadata
     * files. A later request for an upload ends an earlier one, whose connection may be dead without anyone having noticed. A body that ends
     * early is kept as far as it came.
     *
     * @param id of a new upload, too
     * @param body `refuse` ends it early
     * @throws StorageError, DatabaseError
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
        datastore: openParts(),
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
      using _turn = await takeTurn(id, (why) => body?.refuse(why));
      const url = `http://localhost${UPLOADS_PATH}/${id}`;
      const content = body && (Readable.toWeb(body.stream) as ReadableStream<Uint8Array>);
      const sent = { method, body: content, duplex: 'half' as const };
      const request = new Request(url, sent);
      for (const [name, value] of Object.entries(headers)) if (READ_HEADERS.test(name)) request.headers.set(name, String(value));
      const response = await server.handleWeb(request);
      // The protocol's own refusals are no errors.
      if (failure instanceof Error) throw failure;
      // Access of other origins is handled elsewhere.
      for (const name of ['allow-origin', 'expose-headers']) response.headers.delete(`access-control-${name}`);
      return response;
    },

    /**
     * Writes a finished upload to a file, as if it had just arrived. It stays available until a prediction takes it.
     *
     * @throws HttpProblem UPLOAD_NOT_FOUND, UPLOAD_UNFINISHED, STORAGE_FULL
     * @throws the signal's reason when it aborts
     */
    async handOver(accountId: string | null, id: string, path: string, signal: AbortSignal): Promise<Recording> {
      const row = accountId === null ? null : await store.find(id);
      if (row === null || row.accountId !== accountId) throw new HttpProblem('UPLOAD_NOT_FOUND', {});
      const { bytes, usedAtMs, sha256 } = row;
      const fileName = fileNameOf(readFileName(row.metadata));
      if (usedAtMs !== null) return { fileName, bytes, sha256: sha256 ?? '', isGone: true };
      const received = await parts.partsOf(id);
      const receivedBytes = received.at(-1)?.end ?? 0;
      if (receivedBytes < bytes) throw new HttpProblem('UPLOAD_UNFINISHED', { receivedBytes, bytes });
      const written = await writeHashed(diskGuard.admit(parts.read(received, signal), bytes), path, signal);
      if (written.bytes !== bytes) throw new StorageError('AWAY', `The storage returned ${written.bytes} of ${bytes} bytes.`);
      const take = (transaction: Kysely<Tables>) => store.take(transaction, id, written.sha256);
      return { fileName, ...written, take, onAccepted: () => parts.removeParts(id) };
    },

    /** Removes everything of a deleted or disabled account, or what it began up to a time, on all machines. Idempotent. */
    async deleteAccount(accountId: string, createdUntilMs = Number.MAX_SAFE_INTEGER): Promise<void> {
      const begun = (await store.ofAccount(accountId)).filter(({ createdAtMs }) => createdAtMs <= createdUntilMs);
      await Promise.all(begun.map(({ id }) => endAndRemove(id)));
    },

    /** Removes expired uploads, and parts that no upload needs. */
    sweep,
  };
}

/** The file name from the metadata of tus clients. */
function readFileName(metadata: string): string | undefined {
  const { filename } = JSON.parse(metadata) as Readonly<Record<string, string | null>>;
  return filename ?? undefined;
}
