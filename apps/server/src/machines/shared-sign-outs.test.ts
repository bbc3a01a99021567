import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { SignOuts } from '../identity/accounts/sign-outs.ts';
import { isPostgresInstalled } from '../testing/start-postgres.ts';
import { openTwoMachines, type TwoMachines } from '../testing/two-machines.ts';
import { openSharedSignOuts } from './shared-sign-outs.ts';

describe.skipIf(!isPostgresInstalled())('Sign-outs on several machines (needs Debian’s postgresql)', () => {
  let machines: TwoMachines;
  let here: SignOuts;
  let there: SignOuts;
  beforeAll(async () => {
    machines = await openTwoMachines();
    here = await openSharedSignOuts(machines.here);
    there = await openSharedSignOuts(machines.there);
  });
  afterAll(() => machines.close());

  it('end the requests of the signed-out session on every machine within a second, and no other requests', async () => {
    const [one, other, elsewhere, uncertain] = [vi.fn(), vi.fn(), vi.fn(), vi.fn()];
    there.listen({ accountId: 'ann', sessionId: 'one' }, one, uncertain);
    there.listen({ accountId: 'ann', sessionId: 'other' }, other, uncertain);
    here.listen({ accountId: 'bob', sessionId: 'one' }, elsewhere, uncertain);
    await machines.here
      .change({}, async (query) => {
        await here.tell(query, 'ann');
        throw new Error('undone');
      })
      .catch(() => {});
    await machines.here.change({}, (query) => here.tell(query, 'ann', { except: 'other' }));
    await expect.poll(() => one.mock.calls.length).toBe(1);
    await machines.here.change({}, (query) => here.tell(query, 'ann', { only: 'other' }));
    await expect.poll(() => other.mock.calls.length).toBe(1);
    expect([one.mock.calls.length, elsewhere.mock.calls.length, uncertain.mock.calls.length]).toEqual([1, 0, 0]);
  });

  it('are looked up again after the connection to the database was lost', async () => {
    const [ended, uncertain] = [vi.fn(), vi.fn()];
    const stop = there.listen({ accountId: 'ann', sessionId: 'one' }, ended, uncertain);
    await machines.postgres.kill();
    await machines.postgres.restart();
    await expect.poll(() => uncertain.mock.calls.length).toBeGreaterThan(0);
    expect(ended).not.toHaveBeenCalled();
    stop();
  });
});
