import { randomUUID } from 'node:crypto';
import type { FastifyBaseLogger } from 'fastify';
import type { Kysely } from 'kysely';
import type { Database } from '../../database/database.ts';
import type { Tables } from '../../database/tables.ts';
import { HttpProblem, RETRY_AFTER_SECONDS } from '../../http/http-problem.ts';
import type { ObjectStorage } from '../../storage/object-storage.ts';
import { fileNameOf, type Recording } from '../incoming/receive-upload.ts';
import type { Uploads } from '../incoming/upload-folder.ts';
import { createSweeper } from '../sweeper.ts';
import { openPieceBucket } from './piece-bucket.ts';
import { openPieceFolder, PIECES } from './piece-folder.ts';
import { createTusExchange, type TusAnswer, type TusRequest } from './tus-exchange.ts';
import type { UploadLocks } from './upload-locks.ts';
import { createUploadStore } from './upload-store.ts';

export interface ResumableUploadsOptions {
  readonly database: Database;
  readonly storage: ObjectStorage;
  /** `DATA_DIR`, for when the storage is no bucket */
  readonly dataDir: string;
  /** where jobs look for recordings */
  readonly uploads: Pick<Uploads, 'takeOver'>;
  /** between machines; null on a single machine */
  readonly uploadLocks: Pick<UploadLocks, 'take'> | null;
  readonly maxBytes: number;
  readonly log: FastifyBaseLogger;
  readonly now?: (() => number) | undefined;
}

export const UPLOADS_PATH = '/v1/uploads';
const LIFETIME_MS = 86_400_000;
const SWEEP_EVERY_MS = 600_000;
/** As many as a page begins at a time, plus some that were never finished. Beyond that, the oldest is removed. */
const MOST_OF_ACCOUNT = 32;

export type ResumableUploads = Awaited<ReturnType<typeof openResumableUploads>>;

/** Recordings that arrive in pieces, over any number of connections. Each belongs to the account that began it. */
export async function openResumableUploads(options: ResumableUploadsOptions) {
  const { database, storage, dataDir, uploads, uploadLocks, maxBytes, log, now = Date.now } = options;
  const store = createUploadStore(database);
  const about = { store, lifetimeMs: LIFETIME_MS };
  const pieces = storage.bucket ? await openPieceBucket(storage, storage.bucket, about) : await openPieceFolder(dataDir, about);
  /** New ids whose rows are not written yet. */
  const fresh = new Set<string>();
  const exchangeTus = createTusExchange({
    pieces,
    store,
    maxBytes,
    now,
    path: UPLOADS_PATH,
    newId() {
      const id = randomUUID();
      fresh.add(id);
      return id;
    },
  });
  /** The request that writes an upload or waits for its turn, by upload id. */
  const holders = new Map<string, { readonly interrupt: (why: HttpProblem) => void; readonly over: Promise<void> }>();

  async function exclusively<T>(id: string, interrupt: (why: HttpProblem) => void, work: () => Promise<T>): Promise<T> {
    const before = holders.get(id);
    const { promise: over, resolve } = Promise.withResolvers<void>();
    const holder = { interrupt, over };
    holders.set(id, holder);
    try {
      // Another request continues this upload.
      before?.interrupt(new HttpProblem('SERVER_BUSY', { retryAfterSeconds: RETRY_AFTER_SECONDS }));
      await before?.over;
      const giveBack = await uploadLocks?.take(id, interrupt);
      try {
        return await work();
      } finally {
        await giveBack?.();
      }
    } finally {
      if (holders.get(id) === holder) holders.delete(id);
      resolve();
    }
  }

  async function makeRoom(accountId: string): Promise<void> {
    const begun = await store.ofAccount(accountId);
    for (const { id } of begun.slice(0, Math.max(0, begun.length - MOST_OF_ACCOUNT + 1))) await endAndRemove(id);
  }

  /** Removes an upload. The request that writes it ends with UPLOAD_NOT_FOUND. */
  async function endAndRemove(id: string): Promise<void> {
    holders.get(id)?.interrupt(new HttpProblem('UPLOAD_NOT_FOUND', {}));
    await exclusively(
      id,
      () => {},
      async () => {
        await store.remove(id);
        await pieces.remove(id);
      },
    );
  }

  async function sweep(): Promise<void> {
    for (const id of await store.removeOlder(now() - LIFETIME_MS)) await pieces.remove(id);
    // Files first, so that uploads begun meanwhile are not among them.
    const found = await pieces.found();
    const known = await store.waitingIds();
    for (const id of found) if (!known.has(id) && !fresh.has(id)) await pieces.remove(id);
  }

  const sweeper = createSweeper(sweep, SWEEP_EVERY_MS, (error) =>
    log.error({ err: error }, 'old uploads could not be removed yet'),
  );

  return {
    /** Whether that upload exists and belongs to this account. */
    async isOf(accountId: string, id: string): Promise<boolean> {
      const row = await store.find(id);
      return row !== null && row.accountId === accountId && row.usedAtMs === null;
    },

    /**
     * Answers a request of the tus protocol. One request at a time writes an upload: a later one ends an earlier one, whose connection may
     * be dead without anyone having noticed.
     *
     * @param id null for a new upload
     */
    async exchange(
      id: string | null,
      request: TusRequest & { readonly interrupt: (why: HttpProblem) => void },
    ): Promise<TusAnswer> {
      if (id !== null) {
        return exclusively(id, request.interrupt, () => exchangeTus(request).finally(() => pieces.settled(id)));
      }
      await makeRoom(request.accountId);
      const answer = await exchangeTus(request);
      const created = answer.headers.location?.split('/').at(-1);
      if (created !== undefined) fresh.delete(created);
      return answer;
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
      const take = (transaction: Kysely<Tables>) => store.take(transaction, id, now());
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

    /** Sweeps now, then periodically. */
    start: sweeper.start,

    close: sweeper.close,
  };
}

/** The file name from the metadata of tus clients. */
function readFileName(metadata: string): string | undefined {
  const { filename } = JSON.parse(metadata) as Readonly<Record<string, string | null>>;
  return filename ?? undefined;
}
