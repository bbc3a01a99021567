import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { KeyStore } from '../identity/tokens/signing-keys.ts';
import { createSigningKeys } from '../identity/tokens/signing-keys.ts';
import { isPostgresInstalled } from '../testing/start-postgres.ts';
import { openTwoMachines, type TwoMachines } from '../testing/two-machines.ts';
import { openKeyTable } from './key-table.ts';

const kids = (store: KeyStore): string[] => store.list().map(({ kid }) => kid);

describe.skipIf(!isPostgresInstalled())('Signing keys of several machines (needs Debian’s postgresql)', () => {
  let machines: TwoMachines;
  beforeAll(async () => {
    machines = await openTwoMachines();
  });
  afterAll(() => machines.close());

  it('are the same if the machines start together, and a rotation on one reaches the others within a second', async () => {
    const [here, there] = await Promise.all([openKeyTable(machines.here), openKeyTable(machines.there)]);
    const [first] = kids(here);
    expect(kids(there)).toEqual([first]);
    const next = await createSigningKeys(there, 3600).rotate();
    expect(kids(there)).toEqual([first, next]);
    await expect.poll(() => kids(here)).toEqual([first, next]);
    expect(here.list().map(({ privateKey }) => privateKey.asymmetricKeyType)).toEqual(['rsa', 'rsa']);

    const listened = kids(here).length;
    await machines.postgres.kill();
    await machines.postgres.restart();
    const keys = createSigningKeys(there, 3600);
    await expect
      .poll(() =>
        keys.rotate().then(
          () => true,
          () => false,
        ),
      )
      .toBe(true);
    await expect.poll(() => kids(here).length).toBeGreaterThan(listened);
    await Promise.all([here.close(), there.close()]);
  });
});
