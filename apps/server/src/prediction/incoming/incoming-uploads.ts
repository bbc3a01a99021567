import { randomUUID } from 'node:crypto';
import { HttpProblem, RETRY_AFTER_SECONDS } from '../../http/http-problem.ts';
import { CANCELLED, type JobProblem } from '../queue/job.ts';
import type { Arrivals, ArrivingUpload, UploadOutcome } from './arrivals.ts';
import type { QuotaCounter } from './daily-quotas.ts';
import { type DiskGuard, openDiskReservation } from './disk-reservation.ts';
import { createTally, EVERYONE, ownersOf, type Sender } from './owners.ts';
import type { Uploads } from './upload-folder.ts';

/** A body that is being received. Dispose of it when it has arrived or failed. */
export interface IncomingBody extends Disposable {
  /** Notes that more of the body has arrived. */
  count(bytes: number): void;
  /** Aborts with the problem when quota or disk space runs out. */
  readonly signal: AbortSignal;
}

/** An incoming upload for a prediction. Clients ask for it by its idempotency key before there is a row. */
export interface PendingUpload extends AsyncDisposable, ArrivingUpload {
  readonly sender: Sender;
  readonly accountId: string | null;
  /** null without an account to own it */
  readonly idempotencyKey: string | null;
  /** Where it is received. Removed at the end unless `keep` was called. */
  readonly path: string;
  readonly uploadName: string;
  /** Why it must not become a new job; null when it may. It can still be answered by what its key stands for. */
  readonly refusal: HttpProblem | null;
  count(bytes: number): void;
  /** Aborts when its owner cancels it, or for the reasons of its body. */
  readonly signal: AbortSignal;
  /** Runs `takeIn` and resolves `become` with the result. */
  becomes<T extends { readonly id: string }>(takeIn: () => Promise<T>): Promise<T>;
  /** Stores what has arrived where jobs look for it. @throws StorageError */
  store(): Promise<void>;
  /** A row owns it from now on. */
  keep(): void;
  /** Returns its quota, because the same recording had been sent before. */
  giveBack(): Promise<void>;
}

export interface NewUpload {
  readonly sender: Sender;
  readonly idempotencyKey: string | null;
  /** null when the body comes in chunks */
  readonly announcedBytes: number | null;
  /** The key already stands for an answer, which is returned even beyond the quota. */
  readonly isRepeated: boolean;
}

export interface IncomingUploadsOptions {
  readonly quotas: QuotaCounter;
  readonly diskGuard: DiskGuard;
  readonly uploads: Uploads;
  /** null on a single machine */
  readonly arrivals: Arrivals | null;
}

/** A page sends one at a time, a program a few. A network may be a school class, or all clients if the server does not know its proxy. */
const BODIES_OF_ACCOUNT = 8;
/** most bodies at a time */
const BODIES = { account: BODIES_OF_ACCOUNT, network: 64, everyone: 256 };

export type IncomingUploads = ReturnType<typeof createIncomingUploads>;

/**
 * Bodies of recordings that are being received: how many at a time, from whom, and the quota and disk space they take. They use no permits
 * of the queue, so slow senders do not hold up others.
 */
export function createIncomingUploads(options: IncomingUploadsOptions) {
  const { quotas, diskGuard, uploads, arrivals } = options;
  const bodies = createTally();
  const pendingUploads = new Set<PendingUpload>();

  function enter(sender: Sender): () => void {
    const owners = [...ownersOf(sender), EVERYONE];
    const { by } = owners.find((owner) => bodies.of(owner) >= BODIES[owner.by]) ?? {};
    if (by) {
      throw new HttpProblem('SERVER_BUSY', { retryAfterSeconds: RETRY_AFTER_SECONDS, ...(by !== 'everyone' && { by }) });
    }
    bodies.add(owners);
    return () => bodies.remove(owners);
  }

  async function check(sender: Sender, bytes: number): Promise<void> {
    await quotas.checkBytes(sender, bytes);
    await diskGuard.check(bytes);
  }

  async function openBody(sender: Sender, announcedBytes: number | null) {
    using opening = new DisposableStack();
    opening.defer(enter(sender));
    await check(sender, announcedBytes ?? 0);
    const reservation = await openDiskReservation(announcedBytes, async (bytes) => {
      await quotas.takeBytes(sender, bytes);
      return diskGuard.reserve(bytes);
    });
    opening.defer(reservation.release);
    const held = opening.move();
    return { reservation, [Symbol.dispose]: () => held.dispose() };
  }

  /** @returns why it must not become a new job. @throws HttpProblem QUOTA_EXCEEDED unless its key stands for an answer */
  async function takeQuota({ sender, isRepeated }: NewUpload): Promise<HttpProblem | null> {
    try {
      await quotas.takeRecording(sender);
      return null;
    } catch (error) {
      if (!isRepeated || !(error instanceof HttpProblem)) throw error;
      return error;
    }
  }

  const ofThisMachine = (accountId: string): readonly PendingUpload[] =>
    [...pendingUploads].filter((upload) => upload.accountId === accountId);

  async function leave(id: string, become: UploadOutcome): Promise<void> {
    // If PostgreSQL is unavailable, the row expires.
    await arrivals?.leave(id, become).catch(() => {});
  }

  return {
    /** Checks that this much could be sent now. @throws HttpProblem QUOTA_EXCEEDED, STORAGE_FULL */
    check,
    ofAccount: async (accountId: string): Promise<readonly ArrivingUpload[]> => [
      ...ofThisMachine(accountId),
      ...((await arrivals?.ofAccount(accountId)) ?? []),
    ],
    async find(accountId: string, idOrKey: string): Promise<ArrivingUpload | null> {
      const here = ofThisMachine(accountId).find(({ id, idempotencyKey }) => id === idOrKey || idempotencyKey === idOrKey);
      return here ?? (await arrivals?.find(accountId, idOrKey)) ?? null;
    },

    /**
     * Begins to receive a piece. The announced length is compared with what is left of the quota; only bytes that arrive count, step by
     * step.
     *
     * @param announcedBytes null when the body comes in chunks
     */
    async beginBody(sender: Sender, announcedBytes: number | null): Promise<IncomingBody> {
      const body = await openBody(sender, announcedBytes);
      const { count, signal } = body.reservation;
      return { count, signal, [Symbol.dispose]: body[Symbol.dispose] };
    },

    /**
     * Call this before the recording of a prediction is read.
     *
     * @throws HttpProblem SERVER_BUSY, QUOTA_EXCEEDED, STORAGE_FULL
     */
    async begin(upload: NewUpload): Promise<PendingUpload> {
      const { sender, idempotencyKey, announcedBytes } = upload;
      await using held = new AsyncDisposableStack();
      const { reservation } = held.use(await openBody(sender, announcedBytes));
      const refusal = await takeQuota(upload);
      const uploadName = uploads.newName();
      const path = await uploads.receivePathOf(uploadName);
      const cancelling = new AbortController();
      const become = Promise.withResolvers<UploadOutcome>();
      let isKept = false;
      const pending: PendingUpload = {
        id: randomUUID(),
        sender,
        accountId: sender.accountId,
        idempotencyKey: sender.accountId === null ? null : idempotencyKey,
        createdAtMs: Date.now(),
        path,
        uploadName,
        refusal,
        count: reservation.count,
        signal: AbortSignal.any([cancelling.signal, reservation.signal]),
        become: () => become.promise,
        async becomes(takeIn) {
          try {
            const taken = await takeIn();
            become.resolve({ id: taken.id });
            return taken;
          } catch (error) {
            become.resolve({ problem: problemOf(error) });
            throw error;
          } finally {
            pendingUploads.delete(pending);
            if (pending.accountId !== null) await leave(pending.id, await become.promise);
          }
        },
        store: () => uploads.store(uploadName),
        keep() {
          isKept = true;
        },
        async giveBack() {
          await quotas.giveBytesBack(sender, reservation.takenBytes);
          if (refusal === null) await quotas.giveRecordingBack(sender);
        },
        cancel: () => cancelling.abort(new HttpProblem('PREDICTION_CANCELLED', {})),
        [Symbol.asyncDispose]: () => end.disposeAsync(),
      };
      const { id, accountId, createdAtMs } = pending;
      if (accountId !== null) {
        await arrivals?.enter({ id, accountId, idempotencyKey, createdAtMs }, pending.cancel);
      }
      pendingUploads.add(pending);
      held.defer(() => (isKept ? undefined : uploads.remove(uploadName)));
      const end = held.move();
      return pending;
    },
  };
}

function problemOf(error: unknown): JobProblem {
  return error instanceof HttpProblem ? { code: error.code, details: error.details } : CANCELLED.problem;
}
