import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openFolderStorage } from '../storage/folder-storage.ts';
import { isPostgresInstalled } from '../testing/start-postgres.ts';
import { openTwoMachines, type TwoMachines } from '../testing/two-machines.ts';
import { requireOneStorage } from './one-storage.ts';

describe.skipIf(!isPostgresInstalled())('The storage of several machines (needs Debian’s postgresql)', () => {
  let machines: TwoMachines;
  let folder: string;
  beforeAll(async () => {
    machines = await openTwoMachines();
    folder = mkdtempSync(join(tmpdir(), 'chiffchaff-one-storage-'));
  });
  afterAll(async () => {
    await machines.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const storage = (name: string) => openFolderStorage(join(folder, name));

  it('must be the same for all machines, even if these start together; a machine with another storage is refused', async () => {
    const { here, there } = machines;
    await Promise.all([requireOneStorage(here, storage('shared')), requireOneStorage(there, storage('shared'))]);
    await requireOneStorage(there, storage('shared'));
    await expect(requireOneStorage(there, storage('other'))).rejects.toMatchObject({
      code: 'OTHER_STORAGE',
      message: expect.stringContaining('STORAGE_URL'),
    });
  });

  it('is refused if it belongs to another database', async () => {
    await machines.here.query.deleteFrom('sharedValues').execute();
    await expect(requireOneStorage(machines.here, storage('shared'))).rejects.toMatchObject({
      code: 'OTHER_STORAGE',
      message: expect.stringContaining('another database'),
    });
    await requireOneStorage(machines.here, storage('empty'));
  });
});
