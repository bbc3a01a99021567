import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CreateLimiter } from '../http/limits/limiters.ts';
import { isPostgresInstalled } from '../testing/start-postgres.ts';
import { openTwoMachines, type TwoMachines } from '../testing/two-machines.ts';
import { createSharedLimiters } from './shared-limiters.ts';

const two = { points: 2, windowSeconds: 60 };
const over = { remainingPoints: 0, msBeforeNext: expect.any(Number) };

describe.skipIf(!isPostgresInstalled())('Rate limits of several machines (needs Debian’s postgresql)', () => {
  let machines: TwoMachines;
  let here: CreateLimiter;
  let there: CreateLimiter;
  beforeAll(async () => {
    machines = await openTwoMachines();
    here = createSharedLimiters(machines.here);
    there = createSharedLimiters(machines.there);
  });
  afterAll(() => machines.close());

  it('count requests together, separately for each limit and client, and subtract those that are given back', async () => {
    const [first, second] = [here('tries', two), there('tries', two)];
    await first.consume('ann');
    await second.consume('ann');
    await expect(first.consume('ann')).rejects.toMatchObject(over);
    expect(await second.get('ann')).toMatchObject({ consumedPoints: 3, remainingPoints: 0 });
    await second.reward('ann', 2);
    await first.consume('ann');
    await first.consume('bob');
    await here('others', two).consume('ann', 2);
  });

  it('count far beyond 2³¹, and start again from zero when their period has passed', async () => {
    const bytes = here('bytes', { points: 500_000_000_000, windowSeconds: 1 });
    await bytes.consume('ann', 499_999_999_999);
    expect(await there('bytes', { points: 500_000_000_000, windowSeconds: 1 }).get('ann')).toMatchObject({
      remainingPoints: 1,
    });
    await expect(bytes.consume('ann', 2)).rejects.toMatchObject(over);
    await expect.poll(() => bytes.get('ann')).toBeNull();
    await bytes.consume('ann', 2);
  });

  it('store no network addresses in the database', async () => {
    await here('addresses', two).consume('ann@example.org');
    const rows = await machines.here.query.selectFrom('rateLimits').selectAll().execute();
    expect(JSON.stringify(rows)).not.toContain('ann');
  });

  it('refuse every request while PostgreSQL cannot be reached, unless the limit may count on each machine alone', async () => {
    const tries = here('away', two);
    const requests = here('requests', two, { mayCountAlone: true });
    await machines.postgres.kill();
    await expect(tries.consume('ann')).rejects.toMatchObject({ code: 'UNREACHABLE' });
    await expect(tries.get('ann')).rejects.toMatchObject({ code: 'UNREACHABLE' });
    await requests.consume('ann');
    await requests.consume('ann');
    await expect(requests.consume('ann')).rejects.toMatchObject(over);
    await machines.postgres.restart();
    await expect
      .poll(() =>
        tries.consume('bob').then(
          () => true,
          () => false,
        ),
      )
      .toBe(true);
  });

  it('do not wait for a PostgreSQL that does not answer if the limit may count on each machine alone', async () => {
    const requests = here('paused', two, { mayCountAlone: true });
    machines.postgres.pause();
    try {
      // biome-ignore lint/plugin: measures; to become a row of a benchmark
      const askedAt = performance.now();
      await requests.consume('ann');
      // biome-ignore lint/plugin: measures; to become a row of a benchmark
      expect(performance.now() - askedAt).toBeLessThan(2000);
    } finally {
      machines.postgres.resume();
    }
  });
});
