import { regionInSentence } from '@chiffchaff/contract';
import type { Translate } from '../../languages/i18n.ts';
import en from '../../languages/later/en.json';
import { formatList } from './format.ts';

/** Chromium knows the names of countries but of no UN area. The English ones are those in the server's sentences. */
const isKnownArea = (key: string): key is keyof typeof en.area => Object.hasOwn(en.area, key);

/** The name of a region on its own. */
export function regionName(code: string, t: Translate, language: string): string {
  const key = `m${code}`;
  return isKnownArea(key) ? t(`area.${key}`) : (new Intl.DisplayNames(language, { type: 'region' }).of(code) ?? code);
}

/** The names of regions, as a list in a sentence: the United States and Canada. */
export const regionNames = (codes: readonly string[], t: Translate, language: string): string =>
  formatList(
    codes.map((code) => {
      const name = regionName(code, t, language);
      return language.startsWith('en') ? regionInSentence(name) : name;
    }),
    language,
  );
