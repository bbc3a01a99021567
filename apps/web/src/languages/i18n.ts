import i18next, { type i18n } from 'i18next';
import { initReactI18next } from 'react-i18next';
import en from './en.json';
import type laterTexts from './later/en.json';

type FirstStrings = typeof en;
/** Texts of all screens but the first; they load with the first of these. */
type LaterStrings = typeof laterTexts;
/** In English, an empty sentence for a problem means that the server's own is shown. */
export type Strings = FirstStrings & LaterStrings;

declare module 'i18next' {
  interface CustomTypeOptions {
    resources: { translation: Strings };
  }
}

interface Language {
  readonly name: string;
  readonly load: () => Promise<FirstStrings>;
  readonly loadLater: () => Promise<LaterStrings>;
}

/**
 * The interface's languages, each with its own name. English comes with the page, others load on demand. A new one needs a file next to
 * these, one in `later` and a row here; terms (`terms-screen.tsx`) and the example (`npm run example`) stay English until they have it too.
 */
const LANGUAGES: { readonly [code: string]: Language } = {
  en: { name: 'English', load: async () => en, loadLater: async () => (await import('./later/en.json')).default },
  de: {
    name: 'Deutsch',
    load: async () => (await import('./de.json')).default,
    loadLater: async () => (await import('./later/de.json')).default,
  },
};

export const interfaceLanguages = Object.entries(LANGUAGES).map(([code, { name }]) => ({ code, name }));

/** The interface's language: the chosen one, else the browser's first that we have, else English. */
export function chooseLanguage(preferred: string | null, browser: readonly string[]): string {
  const wanted = [...(preferred === null ? [] : [preferred]), ...browser].map((tag) => tag.toLowerCase().split('-')[0] ?? '');
  return wanted.find((code) => Object.hasOwn(LANGUAGES, code)) ?? 'en';
}

export async function startI18n(language: string): Promise<i18n> {
  await i18next.use(initReactI18next).init({
    lng: 'en',
    fallbackLng: 'en',
    resources: { en: { translation: structuredClone(en) } }, // later texts are added to this object
    interpolation: { escapeValue: false }, // React escapes
  });
  await speak(language);
  return i18next;
}

const add = (language: string, texts: object) => i18next.addResourceBundle(language, 'translation', texts, true, true);

let areLaterWanted = false;

/**
 * Loads the texts of `later` in the interface's language, and from now on in every language it changes to. Await it together with the
 * `import()` of a screen that needs them.
 *
 * @throws whatever the import throws
 */
export async function loadLaterTexts(): Promise<void> {
  areLaterWanted = true;
  const { language } = i18next;
  const texts = await LANGUAGES[language]?.loadLater();
  if (texts) add(language, texts);
}

/** Waits for an imported part of the page and the later texts. @throws whatever an import throws */
export const withLaterTexts = async <Part>(part: Promise<Part>): Promise<Part> =>
  (await Promise.all([part, loadLaterTexts()]))[0];

/** Changes the interface's language after loading its texts. If they do not load, the current language stays. */
export async function speak(language: string): Promise<void> {
  const known = LANGUAGES[language];
  if (!known) return;
  try {
    const texts = await Promise.all([known.load(), areLaterWanted ? known.loadLater() : {}]);
    for (const part of texts) add(language, part);
    await i18next.changeLanguage(language);
    document.documentElement.lang = language;
  } catch (error) {
    // biome-ignore lint/suspicious/noConsole: a language that does not load is no reason to stop
    console.error('The interface language could not be loaded', error);
  }
}
