import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { modelFolderPath } from '@chiffchaff/analysis/testing';
import { eventually } from '@chiffchaff/testing';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { doctor } from '../admin/doctor.ts';
import { FORM_TYPE, file, form } from '../testing/multipart.ts';
import { openServerData } from '../testing/server-data.ts';
import { isPostgresInstalled } from '../testing/start-postgres.ts';
import { createTestDatabase } from '../testing/test-database.ts';
import { createTestServer } from '../testing/test-server.ts';
import { openTwoMachines, type TwoMachines } from '../testing/two-machines.ts';
import { BEAT_EVERY_MS } from './heartbeat.ts';
import { readWorkers, registerMachine } from './machine-register.ts';

const seen = { model: () => 'a'.repeat(64), onOtherModel() {}, log: { warn() {} } };

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
      await registerMachine({ ...seen, database: here, places: 2 }),
      await registerMachine({ ...seen, database: there, places: 1 }),
      await registerMachine({ ...seen, database: there, places: 0 }),
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
      await registerMachine({ ...seen, database: here, places: 1 }),
      await registerMachine({ ...seen, database: there, places: 1 }),
      // It loads its model later.
      await registerMachine({ ...seen, database: there, places: 1, model: () => null }),
    ];
    const other = { ...seen, database: there, places: 1, model: () => 'b'.repeat(64) };
    for (const places of [1, 0])
      await expect(registerMachine({ ...other, places })).rejects.toMatchObject({
        code: 'OTHER_MODEL',
        message: expect.stringContaining('another model'),
      });
    expect(await here.query.selectFrom('machines').select('model').where('model', '=', other.model()).execute()).toEqual([]);
    for (const worker of workers) await worker.close();
    await (await registerMachine(other)).close();
  });

  it('calls back when another model is found later, and logs no failure', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const { here, there } = machines;
    const warn = vi.fn();
    const onOtherModel = vi.fn();
    let found: string | null = null;
    const worker = await registerMachine({ ...seen, database: here, places: 1, model: () => found, log: { warn }, onOtherModel });
    const other = await registerMachine({ ...seen, database: there, places: 1 });
    found = 'b'.repeat(64);
    vi.advanceTimersByTime(BEAT_EVERY_MS);
    await eventually(() => expect(onOtherModel).toHaveBeenCalled());
    expect(warn).not.toHaveBeenCalled();
    await worker.close();
    await other.close();
  });

  it('keeps a server that started without a model from loading another than that of a running machine, until that is gone', async () => {
    const { url } = await createTestDatabase(machines.postgres.url);
    const environment = { DATABASE_URL: url };
    let isInstalled = false;
    const server = await createTestServer({
      environment,
      changeService: (service) => ({
        ...service,
        load: async () => (isInstalled ? service.load() : { missing: [{ code: 'MODEL_NOT_INSTALLED', advice: '' }] }),
      }),
    });
    onTestFinished(server.close);
    await mkdir(join(server.dataDir, 'models'));
    await symlink(modelFolderPath, join(server.dataDir, 'models/birdnet-v2.4'));
    isInstalled = true;
    const { query } = server.database;
    const other = { id: 'other', places: 0, model: 'other', jobSeconds: 1, seenAtMs: Number.MAX_SAFE_INTEGER };
    await query.insertInto('machines').values(other).execute();
    const ready = async () => (await server.app.inject({ url: '/readyz' })).json();
    for (const _ of [1, 2])
      expect(await ready()).toMatchObject({
        code: 'NOT_READY',
        detail: expect.stringMatching(/another machine .* another model/),
      });
    const sent = await server.app.inject({
      ...{ method: 'POST', url: '/get_prediction', headers: { 'content-type': FORM_TYPE }, payload: form([file('a')]) },
    });
    expect(sent.json()).toMatchObject({ code: 'MODEL_NOT_INSTALLED' });
    await server.lookForTroubles();
    const told = 'Another machine with this database has another model';
    const logged = server.logged.map(({ msg }) => String(msg));
    for (const sentence of ['Another machine of this database uses another model', told])
      expect(logged.filter((line) => line.startsWith(sentence))).toHaveLength(1);
    await using data = await openServerData(server, environment);
    expect((await doctor(data)).text).toContain(told);
    await query.deleteFrom('machines').where('id', '=', 'other').execute();
    expect(await ready()).toMatchObject({ status: 'ready', accepts: true });
    expect((await doctor(data)).text).not.toContain(told);
  });
});
