import { expect, it } from 'vitest';
import { createFairOrder } from './fair-order.ts';

const job = (accountId: string | null, createdAtMs: number) => ({ accountId, createdAtMs });

/** The order in which jobs are taken, one per millisecond from 100 on. */
function take(jobs: readonly ReturnType<typeof job>[]): string[] {
  const turns = createFairOrder();
  let waiting = [...jobs];
  const taken: string[] = [];
  for (let atMs = 100; waiting.length > 0; atMs += 1) {
    const [next] = turns.order(waiting);
    if (next === undefined) break;
    waiting = waiting.filter((one) => one !== next);
    turns.note(next.accountId, atMs);
    taken.push(`${next.accountId ?? 'nobody'} ${next.createdAtMs}`);
  }
  return taken;
}

it('The fair order lets accounts take turns, however many jobs an account has sent before', () => {
  const jobs = [job('ann', 1), job('ann', 2), job('ann', 3), job('ann', 4), job('bob', 5), job('bob', 6)];
  expect(take(jobs)).toEqual(['ann 1', 'bob 5', 'ann 2', 'bob 6', 'ann 3', 'ann 4']);
});

it('The fair order takes the oldest job first if every account has one job, or without accounts', () => {
  expect(take([job('ann', 1), job(null, 2), job('bob', 3), job(null, 4)])).toEqual(['ann 1', 'nobody 2', 'bob 3', 'nobody 4']);
});

it('The fair order puts a new account behind one that has waited longer since its last turn', () => {
  const turns = createFairOrder();
  turns.note('ann', 100);
  expect(turns.order([job('ann', 1), job('bob', 150)])).toEqual([job('ann', 1), job('bob', 150)]);
});

it('The fair order puts first the jobs of owners with the fewest running jobs', () => {
  const held: Readonly<Record<string, number>> = { ann: 2, bob: 0, cat: 1 };
  const ordered = createFairOrder().order(
    [job('ann', 1), job('cat', 2), job('bob', 3)],
    ({ accountId }) => held[accountId ?? ''] ?? 0,
  );
  expect(ordered.map(({ accountId }) => accountId)).toEqual(['bob', 'cat', 'ann']);
});

it('The fair order remembers turns while an earlier job waits, in whatever order it is given the jobs', () => {
  const turns = createFairOrder();
  turns.note('ann', 100);
  turns.order([job('bob', 150), job('ann', 1)]);
  expect(turns.order([job('ann', 1), job('bob', 50)]).map(({ accountId }) => accountId)).toEqual(['bob', 'ann']);
});
