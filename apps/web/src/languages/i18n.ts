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

/** Another language is one file and one line here. English comes with the page, the others when they are asked for. */
const loaders: { readonly [code: string]: () => Promise<Strings> } = {
  en: async () => en,
  de: async () => (await import('./de.json')).default,
};

/** Languages of the interface, each by its own name. */
export const interfaceLanguages = [
  { code: 'en', name: 'English' },
  { code: 'de', name: 'Deutsch' },
] as const;

/** The language to speak: the chosen one, else the first of the browser's that we have, else English. */
export function chooseLanguage(preferred: string | null, browser: readonly string[]): string {
  const wanted = [...(preferred === null ? [] : [preferred]), ...browser].map((tag) => tag.toLowerCase().split('-')[0] ?? '');
  return wanted.find((code) => Object.hasOwn(loaders, code)) ?? 'en';
}

/** Starts the interface's language; resolves when its strings are there. */
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
  const load = loaders[language];
  if (!load) return;
  try {
    i18next.addResourceBundle(language, 'translation', await load());
    await i18next.changeLanguage(language);
    document.documentElement.lang = language;
  } catch (error) {
    // biome-ignore lint/suspicious/noConsole: a chunk that does not load is told to whoever looks
    console.error('The interface language could not be loaded', error);
  }
}
