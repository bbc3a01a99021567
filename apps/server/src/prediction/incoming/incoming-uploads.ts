import { randomUUID } from 'node:crypto';
import type { ArrivingUploadsTable } from '../../database/tables.ts';
import { HttpProblem, RETRY_AFTER_SECONDS } from '../../http/http-problem.ts';
import { storageProblemOf } from '../../http/storage-problem.ts';
import type { JobProblem } from '../queue/job.ts';
import type { QuotaCounter } from './daily-quotas.ts';
import type { DiskGuard } from './disk-guard.ts';
import { type Counted, EVERYONE, ownersOf, type Sender } from './owners.ts';
import type { Uploads } from './uploads.ts';

/** What an incoming upload became: a prediction, or none. */
export type UploadOutcome = { readonly id: string } | { readonly problem: JobProblem };

/** An incoming upload of this machine or another. */
export interface ArrivingUpload {
  readonly id: string;
  readonly createdAtMs: number;
  /** the API token that it is sent with, if any */
  readonly apiTokenId: string | null;
  /** @returns what it has become, or becomes nevertheless */
  cancel(): Promise<UploadOutcome>;
  become(): Promise<UploadOutcome>;
}

export type Arrival = Pick<ArrivingUploadsTable, 'id' | 'accountId' | 'idempotencyKey' | 'apiTokenId' | 'createdAtMs'>;

/** Incoming uploads of all machines, visible to each. All methods throw DatabaseError. */
export interface Arrivals {
  /** @param cancel called when another machine cancels it */
  enter(arrival: Arrival, cancel: () => void): Promise<void>;
  leave(id: string, become: UploadOutcome): Promise<void>;
  /** Those that other machines are receiving. */
  ofAccount(accountId: string): Promise<readonly ArrivingUpload[]>;
  find(accountId: string, idOrKey: string): Promise<ArrivingUpload | null>;
}

export type IncomingBody = Awaited<ReturnType<IncomingUploads['beginBody']>>;

/** An incoming upload for a prediction. Clients ask for it by its idempotency key before there is a row. */
export type PendingUpload = Awaited<ReturnType<IncomingUploads['begin']>>;

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
  readonly diskGuard: Pick<DiskGuard, 'check'>;
  readonly uploads: Uploads;
  /** null on a single machine */
  readonly arrivals: Arrivals | null;
}

/** A page sends one at a time, a program a few. A network may be a school class, or all clients if the server does not know its proxy. */
const BODIES_OF_ACCOUNT = 8;
/** most bodies at a time */
const BODIES = { account: BODIES_OF_ACCOUNT, network: 64, everyone: 256 };
/** An upload that ended without a reason of its own. */
export const INTERRUPTED: JobProblem = { code: 'UPLOAD_INTERRUPTED', details: {} };
/** Quota is taken, and disk space checked, in steps ahead of what arrives. */
const STEP_BYTES = 1_000_000;

export type IncomingUploads = ReturnType<typeof createIncomingUploads>;

/**
 * Bodies of recordings that are being received: how many at a time, from whom, and the quota they take. They use no permits
 * of the queue, so slow senders do not hold up others.
 */
export function createIncomingUploads({ quotas, diskGuard, uploads, arrivals }: IncomingUploadsOptions) {
  /** for each, whom it counts for */
  const bodies = new Set<readonly Counted[]>();
  const pendingUploads = new Set<ArrivingUpload & Pick<NewUpload, 'sender' | 'idempotencyKey'>>();

  function enter(sender: Sender): () => void {
    const owners: readonly Counted[] = [...ownersOf(sender), EVERYONE];
    const countOf = ({ key }: Counted) => [...bodies].filter((body) => body.some((owner) => owner.key === key)).length;
    const { by } = owners.find((owner) => countOf(owner) >= BODIES[owner.by]) ?? {};
    if (by) {
      throw new HttpProblem('SERVER_BUSY', { retryAfterSeconds: RETRY_AFTER_SECONDS, ...(by !== 'everyone' && { by }) });
    }
    bodies.add(owners);
    return () => bodies.delete(owners);
  }

  /** Checks that this much could be sent now. @throws HttpProblem QUOTA_EXCEEDED, STORAGE_FULL */
  async function check(sender: Sender, bytes: number): Promise<void> {
    await quotas.checkBytes(sender, bytes);
    await diskGuard.check(bytes);
  }

  /**
   * Begins to receive a body. The announced length is compared with what is left of the quota; only bytes that arrive count, step by step.
   *
   * @param announcedBytes null when the body comes in chunks
   * @returns the body; dispose of it when it has arrived or failed
   * @throws HttpProblem SERVER_BUSY, QUOTA_EXCEEDED, STORAGE_FULL
   */
  async function beginBody(sender: Sender, announcedBytes: number | null) {
    const refusal = new AbortController();
    let arrivedBytes = 0;
    let takenBytes = 0;

    async function takeStep(): Promise<void> {
      const step = Math.max(STEP_BYTES, arrivedBytes - takenBytes);
      const bytes = Math.min(step, (announcedBytes ?? Number.POSITIVE_INFINITY) - takenBytes);
      takenBytes += bytes;
      await quotas.takeBytes(sender, bytes);
      await diskGuard.check(bytes);
    }

    using opening = new DisposableStack();
    opening.defer(enter(sender));
    await check(sender, announcedBytes ?? 0);
    await takeStep();
    const entered = opening.move();
    return {
      /** Notes that more of the body has arrived. */
      count(bytes: number): void {
        arrivedBytes += bytes;
        if (arrivedBytes > takenBytes) takeStep().catch((error: unknown) => refusal.abort(error));
      },
      /** Aborts with the problem when quota or disk space runs out. */
      signal: refusal.signal,
      giveBack: (): Promise<void> => quotas.giveBytesBack(sender, takenBytes),
      [Symbol.dispose]: () => entered.dispose(),
    };
  }

  const ofThisMachine = (accountId: string) => [...pendingUploads].filter(({ sender }) => sender.accountId === accountId);

  return {
    check,
    beginBody,
    ofAccount: async (accountId: string): Promise<readonly ArrivingUpload[]> => [
      ...ofThisMachine(accountId),
      ...((await arrivals?.ofAccount(accountId)) ?? []),
    ],
    async find(accountId: string, idOrKey: string): Promise<ArrivingUpload | null> {
      const here = ofThisMachine(accountId).find(({ id, idempotencyKey }) => id === idOrKey || idempotencyKey === idOrKey);
      return here ?? (await arrivals?.find(accountId, idOrKey)) ?? null;
    },

    /**
     * Begins to receive the recording of a prediction. Call this before it is read.
     *
     * @throws HttpProblem as `beginBody`; QUOTA_EXCEEDED for the number of recordings unless its key stands for an answer
     */
    async begin({ sender, idempotencyKey, announcedBytes, isRepeated }: NewUpload) {
      await using held = new AsyncDisposableStack();
      const body = held.use(await beginBody(sender, announcedBytes));
      const refusal = await quotas.takeRecording(sender).then(
        () => null,
        (error: unknown) => {
          if (isRepeated && error instanceof HttpProblem) return error;
          throw error;
        },
      );
      const uploadName: string = randomUUID();
      const path = uploads.receivePathOf(uploadName);
      const cancelling = new AbortController();
      const become = Promise.withResolvers<UploadOutcome>();
      const id: string = randomUUID();
      const createdAtMs = Date.now();
      const { accountId, apiTokenId = null } = sender;
      const arriving = {
        id,
        apiTokenId,
        sender,
        /** null without an account to own it */
        idempotencyKey: accountId === null ? null : idempotencyKey,
        createdAtMs,
        become: () => become.promise,
        cancel() {
          cancelling.abort(new HttpProblem('PREDICTION_CANCELLED', {}));
          return become.promise;
        },
      };
      if (accountId !== null) await arrivals?.enter({ id, accountId, idempotencyKey, apiTokenId, createdAtMs }, arriving.cancel);
      pendingUploads.add(arriving);
      let isKept = false;
      held.defer(() => (isKept ? undefined : uploads.remove(uploadName)));
      const end = held.move();
      return {
        ...arriving,
        accountId,
        /** Where it is received. Removed at the end unless `keep` was called. */
        path,
        uploadName,
        /** Why it must not become a new job; null when it may. It can still be answered by what its key stands for. */
        refusal,
        count: body.count,
        /** Aborts when its owner cancels it, or for the reasons of its body. */
        signal: AbortSignal.any([cancelling.signal, body.signal]),
        /** Runs `takeIn` and resolves `become` with the result. */
        async becomes<T extends { readonly id: string }>(takeIn: () => Promise<T>): Promise<T> {
          try {
            const taken = await takeIn();
            become.resolve({ id: taken.id });
            return taken;
          } catch (error) {
            become.resolve({ problem: problemOf(cancelling.signal.aborted ? cancelling.signal.reason : error) });
            throw error;
          } finally {
            pendingUploads.delete(arriving);
            // If PostgreSQL is unavailable, the row expires.
            if (accountId !== null) await arrivals?.leave(id, await become.promise).catch(() => {});
          }
        },
        /** Stores what has arrived where jobs look for it. @throws StorageError */
        store: () => uploads.store(uploadName),
        /** A row owns it from now on. */
        keep(): void {
          isKept = true;
        },
        /** Returns its quota, because the same recording had been sent before. */
        async giveBack(): Promise<void> {
          await body.giveBack();
          if (refusal === null) await quotas.giveRecordingBack(sender);
        },
        [Symbol.asyncDispose]: () => end.disposeAsync(),
      };
    },
  };
}

/** What is said of an upload to those who follow it. A lost connection or a stopping server says nothing about the recording. */
function problemOf(error: unknown): JobProblem {
  const known = storageProblemOf(error) ?? error;
  return known instanceof HttpProblem ? { code: known.code, details: known.details } : INTERRUPTED;
}
