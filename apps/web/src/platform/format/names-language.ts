import { useTranslation } from 'react-i18next';
import { usePublicConfig } from '../api/public-config.ts';
import { usePreferences } from '../storage/preferences.ts';
import { dateLocale } from './format.ts';
import { serverLanguage } from './species-language.ts';

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
