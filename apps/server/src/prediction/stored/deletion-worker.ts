import { setTimeout as wait } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import type { AudioRetention } from '../audio/audio-retention.ts';
import type { PredictionStore } from './prediction-store.ts';

export interface DeletionWorkerOptions {
  readonly store: PredictionStore;
  readonly sounds: Pick<AudioRetention, 'forget'>;
  readonly log: FastifyBaseLogger;
  /** How long a deletion can be undone. */
  readonly restorableMs: number;
  /** The longest that `run` and `close` wait. */
  readonly patienceMs?: number;
}

/** A failure is kept for its idempotency key; after a day no client asks again. */
const FAILURES_KEPT_MS = 86_400_000;
const DEFAULT_PATIENCE_MS = 3_000;

/** Removes for good what was deleted and can no longer be restored, with everything kept for it. */
export function createDeletionWorker(options: DeletionWorkerOptions) {
  const { store, sounds, log, restorableMs, patienceMs = DEFAULT_PATIENCE_MS } = options;
  const closing = new AbortController();
  let purging = Promise.resolve();

  async function purge(): Promise<void> {
    const nowMs = Date.now();
    for (const { id, accountId } of await store.overdue(nowMs - restorableMs, nowMs - FAILURES_KEPT_MS)) {
      if (closing.signal.aborted) return;
      if (accountId !== null) await sounds.forget(accountId, id);
      await store.purge(id, closing.signal);
    }
  }

  const patience = (): Promise<unknown> => Promise.race([purging, wait(patienceMs, undefined, { ref: false })]);

  return {
    /** Removes what is overdue. Returns when it is done, or soon if there is much; then the rest continues in the background. */
    async run(): Promise<void> {
      purging = purging.then(purge).catch((error: unknown) => log.error({ err: error }, 'deleted data could not be removed yet'));
      await patience();
    },
    /** Resolves when nothing is being removed. */
    settled: (): Promise<void> => purging,
    /** Finishes, or soon stops if there is much; then the next start resumes it. */
    async close(): Promise<void> {
      await patience();
      closing.abort();
      await purging;
    },
  };
}
