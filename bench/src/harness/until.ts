import { setTimeout as delay } from 'node:timers/promises';

interface Patience {
  readonly withinMs?: number;
  readonly everyMs?: number;
}

/**
 * Asks again and again whether something is so.
 *
 * @returns milliseconds until it was
 * @throws Error when it takes longer
 */
export async function until(
  what: string,
  isSo: () => boolean | Promise<boolean>,
  { withinMs = 30_000, everyMs = 10 }: Patience = {},
): Promise<number> {
  const begin = performance.now();
  while (!(await isSo())) {
    if (performance.now() - begin > withinMs) throw new Error(`After ${withinMs / 1000} s it is not so that ${what}`);
    await delay(everyMs);
  }
  return performance.now() - begin;
}
