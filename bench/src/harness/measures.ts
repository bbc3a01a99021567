import { setTimeout as delay } from 'node:timers/promises';

/** The smallest value that at least `share` of the values do not exceed (nearest rank); NaN if there are none. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

/** The middle value, or the mean of the two in the middle; NaN if there are none. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return mean(sorted.slice(Math.ceil(middle) - 1, Math.floor(middle) + 1));
}

/** Numbers of equal answers. */
export function tally(answers: readonly (string | number)[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const answer of answers) counts[answer] = (counts[answer] ?? 0) + 1;
  return counts;
}

/** What something gives, and the milliseconds that it took, to a tenth. */
export async function timed<Result>(act: () => Promise<Result>): Promise<{ readonly result: Result; readonly ms: number }> {
  const start = performance.now();
  const result = await act();
  return { result, ms: round(performance.now() - start) };
}

export const round = (value: number, digits = 1): number => Math.round(value * 10 ** digits) / 10 ** digits;

/** NaN if there are no values. */
export const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

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
