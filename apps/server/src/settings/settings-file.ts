import { readFileSync } from 'node:fs';
import { type SettingName, settingNames, type WrittenSettings } from '@chiffchaff/contract';
import { closest } from 'fastest-levenshtein';
import { z } from 'zod';
import type { ConfigFault } from '../config/variable.ts';
import { hasCode } from '../system-error.ts';
import { operatorSettings } from './operator-settings.ts';

const contentSchema = z.record(
  z.string(),
  z.union([z.string().trim(), z.number().transform(String), z.unknown().transform(() => '')]),
);

/** Reads the file that SETTINGS_FILE names: a JSON object of settings in their written form. */
export function readSettingsFile(path: string): {
  readonly settings: Partial<WrittenSettings>;
  readonly faults: readonly ConfigFault[];
} {
  try {
    const content = contentSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
    const faults = Object.entries(content).flatMap(([name, value]) => faultsOf(name, value, path));
    return { settings: content, faults };
  } catch (error) {
    const isOther = error instanceof SyntaxError || error instanceof z.ZodError;
    const why = isOther ? 'is not one' : hasCode(error, 'ENOENT') ? 'does not exist' : 'cannot be read';
    return {
      settings: {},
      faults: [{ name: 'SETTINGS_FILE', rule: `a file with a JSON object: ${path} ${why}`, example: null }],
    };
  }
}

function faultsOf(name: string, value: string, path: string): ConfigFault[] {
  const setting = Object.hasOwn(operatorSettings, name) ? operatorSettings[name as SettingName] : null;
  const where = `${name} in ${path}`;
  if (setting === null) {
    const rule = `a setting of docs/configuration.md; the closest one is ${closest(name, [...settingNames])}`;
    return [{ name: where, rule, example: null }];
  }
  return setting.schema.safeParse(value).success ? [] : [{ name: where, rule: setting.rule, example: setting.example }];
}
