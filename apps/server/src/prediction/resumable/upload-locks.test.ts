import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isPostgresInstalled } from '../../testing/start-postgres.ts';
import { openTwoMachines, type TwoMachines } from '../../testing/two-machines.ts';
import { openUploadLocks, type UploadLocks } from './upload-locks.ts';

describe.skipIf(!isPostgresInstalled())('The lock of a resumable upload (needs Debian’s postgresql)', () => {
  let machines: TwoMachines;
  let here: UploadLocks;
  let there: UploadLocks;
  beforeAll(async () => {
    machines = await openTwoMachines();
    [here, there] = await Promise.all([openUploadLocks(machines.here), openUploadLocks(machines.there)]);
  });
  afterAll(async () => {
    await Promise.all([here.close(), there.close()]);
    await machines.close();
  });
  const notInterrupted = (): void => expect.unreachable('no other machine wants it');

  it('is taken from another machine within a second', async () => {
    const told = Promise.withResolvers<{ readonly code: string }>();
    const giveBack = await here.take('one', told.resolve);
    // biome-ignore lint/plugin: measures; to become a row of a benchmark
    const begun = performance.now();
    let isTaken = false;
    const taking = there.take('one', notInterrupted).then((release) => {
      isTaken = true;
      return release;
    });
    expect(await told.promise).toMatchObject({ code: 'SERVER_BUSY' });
    expect(isTaken).toBe(false);
    await giveBack();
    await (await taking)();
    // biome-ignore lint/plugin: measures; to become a row of a benchmark
    expect(performance.now() - begun).toBeLessThan(1000);
  });

  it('belongs to one upload, and other uploads have locks of their own', async () => {
    const [one, other] = await Promise.all([here.take('two', notInterrupted), there.take('three', notInterrupted)]);
    await Promise.all([one(), other()]);
  });

  it('ends with the database connection that holds it', async () => {
    const told = Promise.withResolvers<{ readonly code: string }>();
    const giveBack = await here.take('four', told.resolve);
    await machines.there.pool.query(
      `SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND pid <> pg_backend_pid()`,
    );
    expect(await told.promise).toMatchObject({ code: 'SERVER_BUSY' });
    await giveBack();
    await (await there.take('four', notInterrupted))();
    await (await here.take('four', notInterrupted))();
  });

  it('uses no connection when a request ends after the locks were closed', async () => {
    const closing = await openUploadLocks(machines.here);
    const giveBack = await closing.take('five', notInterrupted);
    await closing.close();
    const { pool } = machines.here;
    const inUse = () => pool.totalCount - pool.idleCount;
    const before = inUse();
    await giveBack();
    expect(inUse()).toBe(before);
    await (await there.take('five', notInterrupted))();
  });
});
