import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { WrittenSettings } from '@chiffchaff/contract';
import { eventually } from '@chiffchaff/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Database } from '../database/database.ts';
import { backUp } from '../database/sqlite/back-up.ts';
import { openSqlite } from '../database/sqlite/open-sqlite.ts';
import { isPostgresInstalled } from '../testing/start-postgres.ts';
import { dropTestDatabase, isOnPostgres, openTestDatabase } from '../testing/test-database.ts';
import { openTwoMachines } from '../testing/two-machines.ts';
import { readSettings } from './operator-settings.ts';
import { loadSettings, openSettings, type Settings, saveSettings } from './settings.ts';

const log = { warn: vi.fn() };

let dataDir: string;
let database: Database;
let opened: Settings[];
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'chiffchaff-settings-'));
  database = await openTestDatabase(dataDir);
  opened = [];
  log.warn.mockClear();
});
afterEach(async () => {
  for (const settings of opened) await settings.close();
  await database.close();
  await dropTestDatabase(dataDir);
  await rm(dataDir, { recursive: true, force: true });
});

async function open(fixed: Partial<WrittenSettings> = {}, of = database): Promise<Settings> {
  const settings = await openSettings(of, fixed, log);
  opened.push(settings);
  return settings;
}

describe('The settings of the operator', () => {
  it('are empty at first, and are still there after a restart once they were saved', async () => {
    const settings = await open();
    expect(settings.current()).toEqual(readSettings({}));
    const saved = { siteName: 'Birds', defaultPlace: '50.83, 12.92, Chemnitz', defaultLanguage: 'de' };
    await settings.save(saved);
    expect(settings.current()).toMatchObject({
      terms: { siteName: 'Birds', state: null },
      defaultPlace: { latitude: 50.83, longitude: 12.92, name: 'Chemnitz' },
      defaultLanguage: 'de',
      speciesPictures: null,
    });
    expect((await open()).current()).toEqual(settings.current());
  });

  it('keep their values when others are saved, and are unset by an empty value', async () => {
    const settings = await open();
    await settings.save({ siteName: ' Birds ', state: 'Saxony' });
    expect(settings.current().terms).toMatchObject({ siteName: 'Birds', state: 'Saxony' });
    await settings.save({ siteName: '' });
    expect(settings.current().terms).toMatchObject({ siteName: null, state: 'Saxony' });
  });

  it('have a default place whose name may contain commas', () => {
    const place = { latitude: -12.05, longitude: -77.04, name: 'Lima, Peru' };
    expect(readSettings({ defaultPlace: '-12.05,-77.04 , Lima, Peru' }).defaultPlace).toEqual(place);
  });

  it('have a fingerprint of the terms of use, which differs with each text and with nothing else', () => {
    const of = (written: Partial<WrittenSettings>) => readSettings(written).termsFingerprint;
    expect(of({})).toBe('');
    expect(of({ siteName: 'Birds' })).toMatch(/^[0-9a-f]{8}$/);
    expect(of({ siteName: 'Birds' })).toBe(of({ siteName: 'Birds', defaultLanguage: 'de' }));
    expect(of({ siteName: 'Birds' })).not.toBe(of({ siteName: 'Woods' }));
    expect(of({ siteName: 'Birds' })).not.toBe(of({ state: 'Birds' }));
  });

  it('cannot be changed while they are in the settings file, without which the saved settings apply again', async () => {
    await (await open()).save({ siteName: 'Birds', state: 'Saxony' });
    const settings = await open({ siteName: 'Woods', defaultLanguage: 'de' });
    expect(settings.fixed).toEqual(['siteName', 'defaultLanguage']);
    expect(settings.current()).toMatchObject({ terms: { siteName: 'Woods', state: 'Saxony' }, defaultLanguage: 'de' });
    await expect(settings.save({ siteName: 'Mine', defaultLanguage: '' })).rejects.toMatchObject({
      code: 'REQUEST_INVALID',
      errors: [
        { field: 'siteName', message: 'is fixed by SETTINGS_FILE' },
        { field: 'defaultLanguage', message: 'is fixed by SETTINGS_FILE' },
      ],
    });
    await settings.save({ siteName: 'Woods', state: 'Bavaria', defaultLanguage: 'de' });
    expect((await open()).current()).toMatchObject({ terms: { siteName: 'Birds', state: 'Bavaria' }, defaultLanguage: null });
  });

  it.each([
    { disputeYears: '31' },
    { effectiveDate: '1 May' },
    { contactEmail: 'birds' },
    { siteName: 'x'.repeat(301) },
    { defaultPlace: '90.1, 12.92, Chemnitz' },
    { defaultPlace: '50.83, 12.92,' },
    { defaultPlace: 'Chemnitz' },
    { defaultLanguage: 'fr' },
    { speciesPictures: 'on' },
  ])(
    'are refused with a sentence that says what is valid, and none of them is saved: %j',
    async (wrong: Partial<WrittenSettings>) => {
      const settings = await open();
      await expect(settings.save({ county: 'Chemnitz', ...wrong })).rejects.toMatchObject({
        errors: [{ field: Object.keys(wrong)[0], message: expect.stringMatching(/^must be .*, for example ./) }],
      });
      expect(settings.current()).toEqual(readSettings({}));
    },
  );

  it.skipIf(isOnPostgres)('are part of a backup', async () => {
    const settings = await open();
    await settings.save({ siteName: 'Birds' });
    const backup = join(dataDir, 'backup');
    backUp(dataDir, backup);
    const copy = openSqlite(backup);
    expect(await loadSettings(copy.query, {})).toEqual(await settings.load());
    await copy.close();
  });

  it('stay unchanged if another step of the transaction that saves them fails', async () => {
    const settings = await open();
    const refuse = () => Promise.reject(new Error('the code is gone'));
    await expect(settings.save({ siteName: 'Birds' }, refuse)).rejects.toThrow('the code is gone');
    expect(settings.current()).toEqual(readSettings({}));
  });

  it('are read again after another program has saved some of them', async () => {
    const settings = await open();
    const beside = await openTestDatabase(dataDir);
    await saveSettings(beside, {}, { siteName: 'Birds' });
    await beside.close();
    await eventually(() => expect(settings.current().terms.siteName).toBe('Birds'));
  });
});

describe.skipIf(!isPostgresInstalled())('The settings of several machines (need Debian’s postgresql)', () => {
  it('are the same on all machines, even after the connection to the database was lost', async () => {
    const machines = await openTwoMachines();
    const here = await openSettings(machines.here, {}, log);
    const there = await openSettings(machines.there, {}, log);
    await here.save({ siteName: 'Birds' });
    await eventually(() => expect(there.current().terms.siteName).toBe('Birds'));
    await machines.postgres.kill();
    await machines.postgres.restart();
    await eventually(() => here.save({ siteName: 'Woods' }));
    await eventually(() => expect(there.current().terms.siteName).toBe('Woods'));
    await Promise.all([here.close(), there.close()]);
    await machines.close();
  });
});
