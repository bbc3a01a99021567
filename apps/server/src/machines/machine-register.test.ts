import { tmpdir } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { troubleTexts } from '../operation/trouble-texts.ts';
import { findTroubles } from '../operation/troubles.ts';
import { isPostgresInstalled } from '../testing/start-postgres.ts';
import { openTwoMachines, type TwoMachines } from '../testing/two-machines.ts';
import { readWorkers, registerMachine } from './machine-register.ts';

const log = { warn() {} };
const model = () => 'a'.repeat(64);

describe.skipIf(!isPostgresInstalled())('The register of machines (needs Debian’s postgresql)', () => {
  let machines: TwoMachines;
  beforeAll(async () => {
    machines = await openTwoMachines();
  });
  afterAll(() => machines.close());

  it('counts how many jobs all running workers can run at once, without web machines and workers that are gone', async () => {
    const { here, there } = machines;
    const gone = { id: 'gone', places: 100, model: 'b', jobSeconds: 1, seenAtMs: 1 };
    await here.query.insertInto('machines').values(gone).execute();
    const [first, second, web] = [
      await registerMachine({ database: here, places: 2, model, log }),
      await registerMachine({ database: there, places: 1, model, log }),
      await registerMachine({ database: there, places: 0, model, log }),
    ];
    expect(await readWorkers(here.query)).toEqual({ places: 3, jobSeconds: 2 });
    expect(await here.query.selectFrom('machines').select('id').where('id', '=', 'gone').execute()).toEqual([]);
    await second.close();
    expect(await readWorkers(there.query)).toMatchObject({ places: 2 });
    await first.close();
    await web.close();
    expect(await readWorkers(here.query)).toMatchObject({ places: 0 });
  });

  it('refuses a worker or web machine whose model differs from that of the running machines', async () => {
    const { here, there } = machines;
    const workers = [
      await registerMachine({ database: here, places: 1, model, log }),
      await registerMachine({ database: there, places: 1, model, log }),
      // It loads its model later.
      await registerMachine({ database: there, places: 1, model: () => null, log }),
    ];
    const other = { database: there, places: 1, model: () => 'b'.repeat(64), log };
    for (const places of [1, 0])
      await expect(registerMachine({ ...other, places })).rejects.toMatchObject({
        code: 'OTHER_MODEL',
        message: expect.stringContaining('another model'),
      });
    expect(await here.query.selectFrom('machines').select('model').where('model', '=', other.model()).execute()).toEqual([]);
    for (const worker of workers) await worker.close();
    await (await registerMachine(other)).close();
  });

  it('lets the operator know of a running machine that has loaded another model', async () => {
    const { here, there } = machines;
    const config = { dataDir: tmpdir(), minFreeDiskBytes: 0 };
    const findModel = async () =>
      (await findTroubles({ config, database: here, missing: () => [], model })).find(({ code }) => code === 'model');
    const other = await registerMachine({ database: there, places: 1, model: () => 'b'.repeat(64), log });
    const found = await findModel();
    expect(found).toMatchObject({ isBad: true });
    expect(found && troubleTexts.en.model.found(found)).toContain('Another machine with this database has another model');
    await other.close();
    expect(await findModel()).toMatchObject({ isBad: false });
  });
});
