import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isPostgresInstalled } from '../testing/start-postgres.ts';
import { openTwoMachines, type TwoMachines } from '../testing/two-machines.ts';
import { saveSettings } from './settings.ts';
import { createSetupCodes, isNew } from './setup-codes.ts';

describe.skipIf(!isPostgresInstalled())('The set-up codes of several machines (need Debian’s postgresql)', () => {
  let machines: TwoMachines;
  beforeAll(async () => {
    machines = await openTwoMachines();
  });
  afterAll(() => machines.close());

  it('open the set-up page on each machine; wrong codes are counted together, even if they come at once', async () => {
    const [here, there] = [createSetupCodes(machines.here), createSetupCodes(machines.there)];
    const first = await here.make({ replace: false });
    const second = await there.make({ replace: false });
    expect((await there.check(first)).isRight).toBe(true);
    expect((await here.check(second)).isRight).toBe(true);
    const wrong = Array.from({ length: 12 }, (_, index) => (index % 2 ? here : there).check(`${index % 10}`.repeat(32)));
    expect((await Promise.all(wrong)).some(({ isRight }) => isRight)).toBe(false);
    const rows = await machines.here.query.selectFrom('setupCodes').select('wrongTries').execute();
    expect(rows.map(({ wrongTries }) => wrongTries)).toEqual([5, 5]);
    expect((await here.check(first)).isRight).toBe(false);
    expect(await there.isOpen()).toBe(false);
  });

  it('all end when one of them has been used to save settings', async () => {
    const [here, there] = [createSetupCodes(machines.here), createSetupCodes(machines.there)];
    const first = await here.make({ replace: true });
    const second = await there.make({ replace: false });
    expect(await isNew(machines.there)).toBe(true);
    const used: boolean[] = [];
    await saveSettings(machines.here, {}, { siteName: '' }, async (query) => void used.push(await here.use(query, first)));
    expect(used.at(-1)).toBe(true);
    expect(await there.check(second)).toEqual({ isRight: false, triesLeft: null });
    expect(await isNew(machines.there)).toBe(false);
  });
});
