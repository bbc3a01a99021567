import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OperatorSettings } from '@chiffchaff/contract';
import { eventually } from '@chiffchaff/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { readConfig } from '../config.ts';
import type { Database } from '../database/database.ts';
import { backUp } from '../database/sqlite/back-up.ts';
import { openSqlite } from '../database/sqlite/open-sqlite.ts';
import { isPostgresInstalled } from '../testing/start-postgres.ts';
import { dropTestDatabase, isOnPostgres, openTestDatabase } from '../testing/test-database.ts';
import { openTwoMachines } from '../testing/two-machines.ts';
import { openSettings, type Settings } from './settings.ts';
import { termsFingerprint } from './settings-fields.ts';

const log = { warn: vi.fn() };
const alone = async () => {};
const place = { latitude: 50.83, longitude: 12.92, name: 'Chemnitz' };

/** What `/setup` would send: the current settings with the changes. */
const changed = (settings: Settings, terms: Partial<OperatorSettings['terms']>, others: Partial<OperatorSettings> = {}) => {
  const { termsRevision: _, ...present } = settings.current();
  return { ...present, ...others, terms: { ...present.terms, ...terms } };
};

let dataDir: string;
let database: Database;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'chiffchaff-settings-'));
  database = await openTestDatabase(dataDir);
  log.warn.mockClear();
});
afterEach(async () => {
  await database.close();
  await dropTestDatabase(dataDir);
  await rm(dataDir, { recursive: true, force: true });
});

const open = (environment: Record<string, string> = {}, of = database) => openSettings(of, readConfig(environment).config, log);

describe('The settings of the server', () => {
  it('are empty at first, and after another start those that were saved', async () => {
    const settings = await open();
    expect(await settings.isUnset()).toBe(true);
    expect(settings.current()).toMatchObject({ defaultPlace: null, defaultLanguage: null });
    expect(Object.values(settings.current().terms)).not.toContainEqual(expect.any(String));
    const saved = changed(settings, { siteName: '  Birds ' }, { defaultPlace: place, defaultLanguage: 'de' });
    await settings.save(saved, alone);
    await settings.close();
    const later = await open();
    expect(later.current()).toEqual({ ...saved, terms: { ...saved.terms, siteName: 'Birds' }, termsRevision: 1 });
    expect(await later.isUnset()).toBe(false);
  });

  it('count a change of the terms of use, and nothing else, as a new revision', async () => {
    const settings = await open();
    await settings.save(changed(settings, { siteName: 'Birds' }), alone);
    await settings.save(changed(settings, { siteName: 'Birds ' }, { defaultLanguage: 'de' }), alone);
    expect(settings.current().termsRevision).toBe(1);
    await settings.save(changed(settings, { siteName: null }), alone);
    expect(settings.current()).toMatchObject({ termsRevision: 2, terms: { siteName: null } });
  });

  it('have a fingerprint of the terms in the environment, which differs with each text', () => {
    const of = (environment: Record<string, string>) => termsFingerprint(readConfig(environment).config);
    expect(of({})).toBe('');
    expect(of({ TERMS_SITE_NAME: 'Birds' })).toMatch(/^[0-9a-f]{8}$/);
    expect(of({ TERMS_SITE_NAME: 'Birds' })).toBe(of({ TERMS_SITE_NAME: 'Birds', DEFAULT_LANGUAGE: 'de' }));
    expect(of({ TERMS_SITE_NAME: 'Birds' })).not.toBe(of({ TERMS_SITE_NAME: 'Woods' }));
    expect(of({ TERMS_SITE_NAME: 'Birds' })).not.toBe(of({ TERMS_STATE: 'Birds' }));
  });

  it('give way to the environment, whose fields cannot be changed; saved ones count again without it', async () => {
    const before = await open();
    await before.save(changed(before, { siteName: 'Birds', state: 'Saxony' }, { defaultPlace: place }), alone);
    const environment = { TERMS_SITE_NAME: 'Woods', DEFAULT_LANGUAGE: 'de' };
    const settings = await open(environment);
    expect(settings.fixed).toEqual({ siteName: 'TERMS_SITE_NAME', defaultLanguage: 'DEFAULT_LANGUAGE' });
    expect(settings.current()).toMatchObject({ terms: { siteName: 'Woods', state: 'Saxony' }, defaultLanguage: 'de' });
    const overruled = changed(settings, { siteName: 'Mine' }, { defaultLanguage: null });
    await expect(settings.save(overruled, alone)).rejects.toMatchObject({
      code: 'REQUEST_INVALID',
      errors: [
        { field: 'siteName', message: 'is set by TERMS_SITE_NAME' },
        { field: 'defaultLanguage', message: 'is set by DEFAULT_LANGUAGE' },
      ],
    });
    await settings.save(changed(settings, { state: 'Bavaria' }), alone);
    expect((await open()).current()).toMatchObject({
      terms: { siteName: 'Birds', state: 'Bavaria' },
      defaultLanguage: null,
      defaultPlace: place,
    });
  });

  it('follow the same rules as the variables', async () => {
    const settings = await open();
    const wrong = { disputeYears: '31', effectiveDate: '1 May', contactEmail: 'birds', siteName: 'x'.repeat(301) };
    const wanted = changed(settings, wrong, { defaultPlace: { ...place, name: '' } });
    const error = await settings.save(wanted, alone).catch((thrown) => thrown);
    expect(error.errors.map(({ field }: { field: string }) => field).sort()).toEqual(
      ['contactEmail', 'defaultPlace', 'disputeYears', 'effectiveDate', 'siteName'].sort(),
    );
    expect(await settings.isUnset()).toBe(true);
  });

  it.skipIf(isOnPostgres)('are part of a backup', async () => {
    const settings = await open();
    await settings.save(changed(settings, { siteName: 'Birds' }), alone);
    const backup = join(dataDir, 'backup');
    backUp(dataDir, backup);
    const copy = openSqlite(backup);
    expect((await open({}, copy)).current()).toEqual(settings.current());
    await copy.close();
  });

  it('stay as they were if what is saved with them fails', async () => {
    const settings = await open();
    const refuse = () => Promise.reject(new Error('the code is gone'));
    await expect(settings.save(changed(settings, { siteName: 'Birds' }), refuse)).rejects.toThrow('the code is gone');
    expect(settings.current().terms.siteName).toBeNull();
    expect(await settings.isUnset()).toBe(true);
  });

  it('are ignored with a warning if this version cannot read them', async () => {
    const rows = [
      { name: 'defaultLanguage', value: '"everything"' },
      { name: 'later', value: '1' },
    ];
    await database.change({}, (query) => query.insertInto('settings').values(rows).execute());
    expect((await open()).current().defaultLanguage).toBeNull();
    // On PostgreSQL, the settings are read again once it listens.
    const ignored = log.warn.mock.calls.map(([{ setting }]) => setting);
    expect(new Set(ignored)).toEqual(new Set(['defaultLanguage', 'later']));
  });
});

describe.skipIf(!isPostgresInstalled())('The settings of several machines (need Debian’s postgresql)', () => {
  it('are the same on all, also after a lost connection', async () => {
    const machines = await openTwoMachines();
    const here = await open({}, machines.here);
    const there = await open({}, machines.there);
    await here.save(changed(here, { siteName: 'Birds' }), alone);
    await eventually(() => expect(there.current().terms.siteName).toBe('Birds'));
    await machines.postgres.kill();
    await machines.postgres.restart();
    const again = () => here.save(changed(here, { siteName: 'Woods' }), alone);
    await eventually(again);
    await eventually(() => expect(there.current().terms.siteName).toBe('Woods'));
    await Promise.all([here.close(), there.close()]);
    await machines.close();
  }, 30_000);
});
