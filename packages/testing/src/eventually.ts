import { vi } from 'vitest';

/** The timeout of `expect.poll` in `vitest.config.ts`: a safety net for a busy machine, not a claim about speed. */
const TIMEOUT_MS = 20_000;
const INTERVAL_MS = 50;

export interface Patience {
  /** Milliseconds; raise it where a whole program has to start. */
  readonly timeout: number;
}

/**
 * Calls `work` repeatedly until it does not throw, and resolves with its result. Advances fake timers meanwhile.
 *
 * @throws the last error of `work` when the time is up
 */
export function eventually<T>(work: () => T | Promise<T>, { timeout }: Patience = { timeout: TIMEOUT_MS }): Promise<T> {
  return vi.waitFor(work, { timeout, interval: INTERVAL_MS });
}
