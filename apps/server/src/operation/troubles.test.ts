import { tmpdir } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { noteTime } from '../database/last-times.ts';
import { openPostgres, type PostgresDatabase } from '../database/postgres/open-postgres.ts';
import { moveClock } from '../testing/move-clock.ts';
import { isPostgresInstalled, startPostgres, type TestPostgres } from '../testing/start-postgres.ts';
import { createTestDatabase } from '../testing/test-database.ts';
import { troubleTexts } from './trouble-texts.ts';
import { findTroubles } from './troubles.ts';

describe.skipIf(!isPostgresInstalled())('Troubles of a machine with PostgreSQL (needs Debian’s postgresql)', () => {
  let postgres: TestPostgres;
  let database: PostgresDatabase;
  beforeAll(async () => {
    postgres = await startPostgres();
    database = await openPostgres((await createTestDatabase(postgres.url)).url, { log: { warn() {} } });
  });
  afterAll(async () => {
    await database.close();
    await postgres.stop();
  });

  const findBad = async (aheadDays: number) => {
    const now = () => Date.now() + aheadDays * 86_400_000;
    const config = { dataDir: tmpdir(), minFreeDiskBytes: 0 };
    const found = await findTroubles({ config, database, missing: () => [], now, freeBytes: async () => 2 ** 40 });
    return found.filter(({ isBad }) => isBad);
  };

  it('are not that accounts or backups are old or of the future when only its clock is wrong', async () => {
    const times = { passwordUpdatedAtMs: 1, lastLoginAtMs: 1, validSinceSeconds: 1 };
    const account = { id: 'ann', email: 'ann@example.org', passwordHash: '', createdAtMs: Date.now(), ...times };
    await database.query.insertInto('accounts').values(account).execute();
    for (const prepare of [async () => {}, () => noteTime(database, 'backup')]) {
      await prepare();
      for (const days of [60, -60]) expect((await findBad(days)).map(({ code }) => code)).toEqual(['clock']);
    }
  });

  it('are not that a backup or the first account is old or of the future when a machine with a wrong clock noted it', async () => {
    for (const days of [60, -60]) {
      moveClock(days * 86_400_000);
      await noteTime(database, 'backup');
      moveClock(0);
      expect(await findBad(0)).toEqual([]);
    }
    await database.query.deleteFrom('lastTimes').execute();
    await database.query
      .updateTable('accounts')
      .set({ createdAtMs: Date.now() + 60 * 86_400_000 })
      .execute();
    expect(await findBad(0)).toEqual([]);
  });

  it('are mended without a command that has an effect only on a machine with SQLite', async () => {
    const [clock] = await findBad(-60);
    for (const { clock: text } of Object.values(troubleTexts)) {
      expect(clock && text(clock).remedy).toContain('timedatectl');
      expect(clock && text(clock).remedy).not.toContain('--clock-is-right');
    }
  });
});
