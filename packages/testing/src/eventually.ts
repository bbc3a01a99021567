import { vi } from 'vitest';

/** As long as `expect.poll` waits (`vitest.config.ts`): a safety net for a busy machine, and no claim about speed. */
const TIMEOUT_MS = 20_000;
const INTERVAL_MS = 50;

export interface Patience {
  /** Milliseconds, where starting a whole program takes longer. */
  readonly timeout: number;
}

/**
 * Resolves with what `work` returns once it does not throw; tries it again and again until then. Fake timers advance meanwhile.
 *
 * @throws what `work` threw last, when the time is up
 */
export function eventually<T>(work: () => T | Promise<T>, { timeout }: Patience = { timeout: TIMEOUT_MS }): Promise<T> {
  return vi.waitFor(work, { timeout, interval: INTERVAL_MS });
}
