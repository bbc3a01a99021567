import { useTranslation } from '../../languages/i18n.ts';
import { usePublicConfig } from '../api/public-config.ts';
import { usePreferences } from '../storage/preferences.ts';
import { dateLocale } from './format.ts';

/** The server names the languages of species names as the model's label tables do (`de`, `en_uk`); browsers need BCP 47 (`de`, `en-GB`). */
export function languageTag(serverCode: string): string {
  const [language = 'en', region] = serverCode.split(/[-_]/);
  if (region === undefined) return language;
  return `${language}-${region.toLowerCase() === 'uk' ? 'GB' : region.toUpperCase()}`;
}

/** The server's code for a language, given as its code or a tag: the same, or another variety of it; null if the server has none. */
export function serverLanguage(wanted: string, offered: readonly string[]): string | null {
  const same = offered.find((code) => code === wanted || languageTag(code) === wanted);
  if (same !== undefined) return same;
  const tongue = languageTag(wanted).split('-')[0];
  return offered.find((code) => languageTag(code).split('-')[0] === tongue) ?? null;
}

export function languageName(serverCode: string, interfaceLanguage: string): string {
  return new Intl.DisplayNames(interfaceLanguage, { type: 'language' }).of(languageTag(serverCode)) ?? serverCode;
}

/**
 * The language in which the user reads bird names, as the server's code: the chosen one, else the browser's variety of the interface
 * language (British names for `en-GB`); null if the server has neither.
 */
export function useNamesLanguage(): string | null {
  const { i18n } = useTranslation();
  const { speciesLanguage } = usePreferences();
  const { data: config } = usePublicConfig();
  return serverLanguage(speciesLanguage ?? dateLocale(i18n.language), config?.languages ?? []);
}
