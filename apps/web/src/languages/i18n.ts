import i18next, { type i18n } from 'i18next';
import { initReactI18next } from 'react-i18next';
import en from './en.json';

/** Every text of the interface; in English, an empty sentence for a problem leaves it to the server's own. */
export type Strings = typeof en;

declare module 'i18next' {
  interface CustomTypeOptions {
    resources: { translation: Strings };
  }
}

/**
 * The interface's languages, each by its own name. English comes with the page, others when they are asked for. A further one is a file
 * beside these and a row here; terms (`terms-screen.tsx`) and the example (`npm run example`) stay English until they have it, too.
 */
const LANGUAGES: { readonly [code: string]: { readonly name: string; readonly load: () => Promise<Strings> } } = {
  en: { name: 'English', load: async () => en },
  de: { name: 'Deutsch', load: async () => (await import('./de.json')).default },
};

export const interfaceLanguages = Object.entries(LANGUAGES).map(([code, { name }]) => ({ code, name }));

/** The language to speak: the chosen one, else the first of the browser's that we have, else English. */
export function chooseLanguage(preferred: string | null, browser: readonly string[]): string {
  const wanted = [...(preferred === null ? [] : [preferred]), ...browser].map((tag) => tag.toLowerCase().split('-')[0] ?? '');
  return wanted.find((code) => Object.hasOwn(LANGUAGES, code)) ?? 'en';
}

export async function startI18n(language: string): Promise<i18n> {
  await i18next.use(initReactI18next).init({
    lng: 'en',
    fallbackLng: 'en',
    resources: { en: { translation: en } },
    interpolation: { escapeValue: false }, // React escapes
  });
  await speak(language);
  return i18next;
}

/** Changes the interface's language, loading its strings first. A language that does not load leaves the present one. */
export async function speak(language: string): Promise<void> {
  const known = LANGUAGES[language];
  if (!known) return;
  try {
    i18next.addResourceBundle(language, 'translation', await known.load());
    await i18next.changeLanguage(language);
    document.documentElement.lang = language;
  } catch (error) {
    // biome-ignore lint/suspicious/noConsole: a language that does not load is no reason to stop
    console.error('The interface language could not be loaded', error);
  }
}
