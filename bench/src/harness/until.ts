import { setTimeout as delay } from 'node:timers/promises';

interface Patience {
  readonly withinMs?: number;
  readonly everyMs?: number;
}

/** Looks again and again until it sees what is wanted, or the time is up. @returns what it has seen last */
export async function lookUntil<Seen>(
  look: () => Seen | Promise<Seen>,
  isWanted: (seen: Seen) => boolean,
  { withinMs = 30_000, everyMs = 10 }: Patience = {},
): Promise<Seen> {
  const begin = performance.now();
  let seen = await look();
  while (!isWanted(seen) && performance.now() - begin <= withinMs) {
    await delay(everyMs);
    seen = await look();
  }
  return seen;
}

/**
 * Asks again and again whether something is so.
 *
 * @returns milliseconds until it was
 * @throws Error when it takes longer
 */
export async function until(what: string, isSo: () => boolean | Promise<boolean>, patience: Patience = {}): Promise<number> {
  const { withinMs = 30_000 } = patience;
  const begin = performance.now();
  if (!(await lookUntil(isSo, Boolean, patience))) throw new Error(`After ${withinMs / 1000} s it is not so that ${what}`);
  return performance.now() - begin;
}
