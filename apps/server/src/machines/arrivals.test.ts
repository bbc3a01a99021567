import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { isPostgresInstalled } from '../testing/start-postgres.ts';
import { openTwoMachines, type TwoMachines } from '../testing/two-machines.ts';
import { openArrivals } from './arrivals.ts';

const arrival = { id: 'one', accountId: 'ann', idempotencyKey: 'key', apiTokenId: 'token', createdAtMs: 1 };

describe.skipIf(!isPostgresInstalled())('Incoming uploads to another machine (need Debian’s postgresql)', () => {
  let machines: TwoMachines;
  let here: Awaited<ReturnType<typeof openArrivals>>;
  let there: typeof here;
  beforeAll(async () => {
    machines = await openTwoMachines();
    here = await openArrivals(machines.here);
    there = await openArrivals(machines.there);
  });
  afterAll(async () => {
    await Promise.all([here.close(), there.close()]);
    await machines.close();
  });

  it('can be found and cancelled by their account, by id or idempotency key, and report their outcome', async () => {
    const problem = { code: 'PREDICTION_CANCELLED', details: {} } as const;
    const cancel = vi.fn(() => void here.leave('one', { problem }));
    await here.enter(arrival, cancel);
    expect(await there.find('bob', 'one')).toBeNull();
    expect(await there.find('ann', 'one')).toMatchObject({ id: 'one', apiTokenId: 'token', createdAtMs: 1 });
    expect(await here.ofAccount('ann')).toEqual([]);
    const [found] = await there.ofAccount('ann');
    const watched = (await there.find('ann', 'key'))?.become();
    expect(await found?.cancel()).toEqual({ problem });
    expect(await watched).toEqual({ problem });
    expect(cancel).toHaveBeenCalledOnce();
    expect(await there.find('ann', 'key')).toBeNull();
  });

  it('report their outcome even if asked after they ended, and are no longer found once their machine is gone', async () => {
    await here.enter({ ...arrival, id: 'two' }, () => {});
    const late = await there.find('ann', 'two');
    await here.leave('two', { id: 'two' });
    expect(await late?.become()).toEqual({ id: 'two' });
    await here.enter({ ...arrival, id: 'three' }, () => {});
    await machines.here.query.updateTable('arrivingUploads').set({ seenAtMs: 1 }).execute();
    expect(await there.find('ann', 'three')).toBeNull();
    expect(await there.ofAccount('ann')).toEqual([]);
  });
});
