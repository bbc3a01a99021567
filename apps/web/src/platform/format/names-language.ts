import { useTranslation } from 'react-i18next';
import { usePublicConfig } from '../api/public-config.ts';
import { usePreferences } from '../storage/preferences.ts';
import { dateLocale } from './format.ts';
import { serverLanguage } from './species-language.ts';

/**
 * The language in which this person reads names of birds, as the server names it: the chosen one, else the browser's variety of the page's
 * (British names for `en-GB`); null when it has none of theirs.
 */
export function useNamesLanguage(): string | null {
  const { i18n } = useTranslation();
  const { speciesLanguage } = usePreferences();
  const { data: config } = usePublicConfig();
  return serverLanguage(speciesLanguage ?? dateLocale(i18n.language), config?.languages ?? []);
}
