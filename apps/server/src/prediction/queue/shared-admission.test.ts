import { tmpdir } from 'node:os';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { troubleTexts } from '../../operation/trouble-texts.ts';
import { findTroubles } from '../../operation/troubles.ts';
import { isPostgresInstalled } from '../../testing/start-postgres.ts';
import { openTwoMachines, type TwoMachines } from '../../testing/two-machines.ts';
import type { Sender } from '../incoming/owners.ts';
import { registerMachine } from './machine-register.ts';
import { createSharedAdmission } from './shared-admission.ts';

const log = { warn() {} };
const model = () => 'a'.repeat(64);
const busy = (by?: 'account' | 'network') => ({
  code: 'SERVER_BUSY',
  details: { retryAfterSeconds: expect.any(Number), ...(by && { by }) },
});
const ann = { accountId: 'ann', network: '192.0.2.1' };
let senders = 0;
/** A different sender each time. */
const newSender = (): Sender => {
  senders += 1;
  return { accountId: `account ${senders}`, network: `network ${senders}` };
};

describe.skipIf(!isPostgresInstalled())('Admission over several machines (needs Debian’s postgresql)', () => {
  let machines: TwoMachines;
  beforeAll(async () => {
    machines = await openTwoMachines();
  });
  afterAll(() => machines.close());
  beforeEach(async () => {
    await machines.here.query.deleteFrom('predictions').execute();
  });

  async function queue(...from: readonly Sender[]): Promise<void> {
    for (const { accountId, network } of from) {
      senders += 1;
      const row = { id: `prediction ${senders}`, accountId, network, createdAtMs: senders, requestHash: '' };
      await machines.there.query
        .insertInto('predictions')
        .values({ ...row, state: 'queued', fields: '{}', sha256: '', bytes: 1, attempts: 0 })
        .execute();
    }
  }

  it('has permits for what all workers run at once and for what can wait, and none for ended jobs', async () => {
    const admission = createSharedAdmission({ database: machines.here, waiting: 1 });
    const [first, second] = [
      await registerMachine({ database: machines.here, places: 2, model, log }),
      await registerMachine({ database: machines.there, places: 1, model, log }),
    ];
    await queue(newSender(), newSender(), newSender());
    await admission.check(newSender());
    await queue(newSender());
    await expect(admission.check(newSender())).rejects.toMatchObject(busy());
    await machines.there.query.updateTable('predictions').set({ state: 'failed', network: null }).execute();
    await admission.check(newSender());
    await queue(newSender(), newSender());
    await admission.check(newSender());
    await second.close();
    await queue(newSender());
    await expect(admission.check(newSender())).rejects.toMatchObject(busy());
    await first.close();
    admission.close();
    await expect(admission.check(newSender())).rejects.toMatchObject(busy());
  });

  it('limits the share of one account or address; excess recordings wait at the cost of their sender alone', async () => {
    const admission = createSharedAdmission({ database: machines.here, waiting: 36 });
    await queue(...Array.from({ length: 9 }, () => ann));
    await expect(admission.check(ann)).rejects.toMatchObject(busy('account'));
    await admission.check({ accountId: 'bob', network: '192.0.2.1' });
    await queue(...Array.from({ length: 50 }, () => ({ accountId: null, network: '192.0.2.1' })));
    await expect(admission.check({ accountId: 'bob', network: '192.0.2.1' })).rejects.toMatchObject(busy('network'));
    await queue(...Array.from({ length: 9 }, newSender));
    await expect(admission.check(newSender())).rejects.toMatchObject(busy());
  });

  it('no longer counts a worker that has disappeared', async () => {
    await machines.here.query
      .insertInto('machines')
      .values({ id: 'gone', places: 100, model: 'b', jobSeconds: 1, seenAtMs: 1 })
      .execute();
    const worker = await registerMachine({ database: machines.here, places: 0, model, log });
    const admission = createSharedAdmission({ database: machines.here, waiting: 0 });
    await expect(admission.check(newSender())).rejects.toMatchObject(busy());
    expect(await machines.here.query.selectFrom('machines').select('id').where('id', '=', 'gone').execute()).toEqual([]);
    await worker.close();
  });

  it('refuses a machine, with workers or without, whose model is another than that of those that are running', async () => {
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
