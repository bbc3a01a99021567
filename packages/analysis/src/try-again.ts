import { setTimeout as wait } from 'node:timers/promises';

/** Delay before another try at what could not be made; a try takes seconds of CPU time. */
const TRY_AGAIN_MS = 600_000;

/**
 * Handles a failed try: warns and returns null, which is kept for ten minutes; then `forget` makes the next caller try again.
 *
 * @param closing Aborted, the failure is no surprise, and nobody will try again.
 */
export const tryAgainLater =
  (warning: string, closing: AbortSignal, forget: () => void) =>
  (error: unknown): null => {
    if (!closing.aborted) process.emitWarning(`${warning}: ${String(error)}`);
    void wait(TRY_AGAIN_MS, undefined, { ref: false, signal: closing }).then(forget, () => {});
    return null;
  };
