import type { TFunction } from 'i18next';
import en from '../../languages/en.json';
import { formatList } from './format.ts';

/** Chromium knows names of countries, but none of the UN's areas: in English they are called as in the server's sentences. */
const isKnownArea = (key: string): key is keyof typeof en.area => Object.hasOwn(en.area, key);

function nameOf(code: string, t: TFunction, language: string): string {
  const key = `m${code}`;
  return isKnownArea(key) ? t(`area.${key}`) : (new Intl.DisplayNames(language, { type: 'region' }).of(code) ?? code);
}

/** Regions by their codes, as a sentence of the interface lists them. */
export const regionNames = (codes: readonly string[], t: TFunction, language: string): string =>
  formatList(
    codes.map((code) => nameOf(code, t, language)),
    language,
  );
