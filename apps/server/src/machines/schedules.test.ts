import type { FastifyBaseLogger } from 'fastify';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { isPostgresInstalled } from '../testing/start-postgres.ts';
import { openTwoMachines, type TwoMachines } from '../testing/two-machines.ts';
import { openSchedules } from './schedules.ts';

const onError = vi.fn();
const log = { warn() {} } as unknown as FastifyBaseLogger;

describe.skipIf(!isPostgresInstalled())('Scheduled work of several machines (needs Debian’s postgresql)', () => {
  let machines: TwoMachines;
  beforeAll(async () => {
    machines = await openTwoMachines();
  });
  afterAll(() => machines.close());

  it('is done by one machine at a time, and again after a failure', async () => {
    let atOnce = 0;
    let most = 0;
    const done: string[] = [];
    const going = Promise.withResolvers<void>();
    const workOf = (machine: string) => async () => {
      atOnce += 1;
      most = Math.max(most, atOnce);
      await going.promise;
      atOnce -= 1;
      done.push(machine);
      if (done.length === 1) throw new Error('the first time');
    };
    const [here, there] = await Promise.all(
      (['here', 'there'] as const).map((machine) =>
        openSchedules({
          database: machines[machine],
          log,
          chores: [{ name: 'chore', cron: '* * * * *', work: workOf(machine) }],
          onError,
          lookEverySeconds: 0.5,
        }),
      ),
    );
    await here?.runSoon('chore');
    await expect.poll(() => atOnce).toBe(1);
    await there?.runSoon('chore');
    going.resolve();
    await expect.poll(() => done.length).toBe(1);
    await expect.poll(async () => ((await here?.runSoon('chore')) === null ? 'busy' : 'sent')).toBe('sent');
    await expect.poll(() => done.length).toBeGreaterThan(1);
    expect(most).toBe(1);
    expect(onError).toHaveBeenCalledOnce();
    await Promise.all([here?.close(), there?.close()]);
  });
});
