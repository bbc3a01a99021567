import { type SettingName, settingNames } from '@chiffchaff/contract';
import { HttpProblem } from '../http/http-problem.ts';
import { loadSettings, saveSettings } from '../settings/settings.ts';
import { AdminError } from './admin-error.ts';
import type { ServerData } from './open-data.ts';
import { textTable } from './text-table.ts';

type Data = Pick<ServerData, 'config' | 'database'>;

/** @returns the setting in effect, or a table of all */
export async function getSettings({ config, database }: Data, name?: SettingName): Promise<string> {
  const { fixedSettings: fixed } = config;
  const written = await loadSettings(database.query, fixed);
  if (name !== undefined) return written[name];
  return textTable(
    ['setting', 'value', 'fixed by'],
    settingNames.map((each) => [each, written[each] || null, fixed[each] === undefined ? '' : 'SETTINGS_FILE']),
  );
}

/**
 * Changes a setting; a running server uses it within a second.
 *
 * @param value empty if it is no longer to be set
 * @returns a sentence for the operator
 * @throws AdminError if the value is not valid, or the settings file has another
 */
export async function setSetting({ config, database }: Data, name: SettingName, value: string): Promise<string> {
  const wanted = value.trim();
  try {
    await saveSettings(database, config.fixedSettings, { [name]: wanted });
  } catch (error) {
    const [fault] = error instanceof HttpProblem ? error.errors : [];
    if (fault === undefined) throw error;
    throw new AdminError(`${fault.field} ${fault.message}.`);
  }
  return wanted === '' ? `${name} is no longer set.` : `${name} is now ${wanted}.`;
}
