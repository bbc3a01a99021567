import { isDeepStrictEqual } from 'node:util';
import { type SettingName, settingNames, type WrittenSettings } from '@chiffchaff/contract';
import type { FastifyBaseLogger } from 'fastify';
import type { Kysely } from 'kysely';
import type { Database } from '../database/database.ts';
import type { Tables } from '../database/tables.ts';
import { invalidFields } from '../http/http-problem.ts';
import { repeat } from '../repeat.ts';
import { type CurrentSettings, operatorSettings, readSettings } from './operator-settings.ts';

export type Settings = Awaited<ReturnType<typeof openSettings>>;

/** How often a server looks for what `chiffchaff admin settings` or another machine has saved. */
const LOOK_EVERY_MS = 500;

/** Loads the settings in effect: those of the settings file, else the saved ones. */
export async function loadSettings(query: Kysely<Tables>, fixed: Partial<WrittenSettings>): Promise<WrittenSettings> {
  const rows = await query.selectFrom('settings').selectAll().execute();
  const saved: Partial<WrittenSettings> = Object.fromEntries(rows.map(({ name, value }) => [name, value]));
  return Object.fromEntries(settingNames.map((name) => [name, fixed[name] ?? saved[name] ?? ''])) as WrittenSettings;
}

/**
 * Saves settings, except those of the settings file. An empty one is no longer set.
 *
 * @param alongside makes changes in the same transaction; an error in it rolls back everything
 * @throws HttpProblem REQUEST_INVALID if a value is not valid, or differs from that of the settings file
 */
export async function saveSettings(
  database: Database,
  fixed: Partial<WrittenSettings>,
  wanted: Partial<WrittenSettings>,
  alongside: (query: Kysely<Tables>) => Promise<void> = async () => {},
): Promise<void> {
  const given = settingNames.flatMap((name) => (wanted[name] === undefined ? [] : [{ name, value: wanted[name].trim() }]));
  const faults = given.flatMap(({ name, value }) => {
    if ((fixed[name] ?? value) !== value) return [{ field: name, message: 'is fixed by SETTINGS_FILE' }];
    const { schema, rule, example } = operatorSettings[name];
    const isValid = value === '' || schema.safeParse(value).success;
    return isValid ? [] : [{ field: name, message: `must be ${rule}, for example ${example}` }];
  });
  if (faults.length > 0) throw invalidFields(faults);
  await database.change({}, async (query) => {
    await alongside(query);
    for (const row of given.filter(({ name }) => fixed[name] === undefined)) {
      await query
        .insertInto('settings')
        .values(row)
        .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: row.value }))
        .execute();
    }
  });
}

/**
 * Settings that the operator can change while the server runs, the same on all machines. Never secrets, and nothing about mail, proxies or
 * access.
 *
 * @param fixed those of the settings file, which take precedence over saved ones
 * @throws DatabaseError
 */
export async function openSettings(database: Database, fixed: Partial<WrittenSettings>, log: Pick<FastifyBaseLogger, 'warn'>) {
  let current = readSettings(await loadSettings(database.query, fixed));
  /** Reads one after the other, so that an older result never replaces a newer one. */
  let reading: Promise<void> = Promise.resolve();
  let isAway = false;

  function refresh(): Promise<void> {
    reading = reading.then(async () => {
      try {
        const found = readSettings(await loadSettings(database.query, fixed));
        if (!isDeepStrictEqual(found, current)) current = found;
        isAway = false;
      } catch (error) {
        // Logged once per outage: the readiness check reports the state of the database.
        if (!isAway) log.warn({ err: error }, 'the settings could not be read again; trying again');
        isAway = true;
      }
    });
    return reading;
  }

  const following = repeat(refresh, LOOK_EVERY_MS, () => {});

  return {
    /** The settings in effect; the same object until one changes. Read them when they are needed; do not keep them. */
    current: (): CurrentSettings => current,
    /** The settings in effect in their written form. */
    load: () => loadSettings(database.query, fixed),
    /** Names of the settings in the settings file. */
    fixed: Object.keys(fixed) as readonly SettingName[],
    /** As `saveSettings`; the settings are in effect when it resolves. */
    async save(wanted: Partial<WrittenSettings>, alongside?: (query: Kysely<Tables>) => Promise<void>): Promise<void> {
      await saveSettings(database, fixed, wanted, alongside);
      await refresh();
    },
    close: following.close,
  };
}
