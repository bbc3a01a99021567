import { createStore, useStore } from '../platform/browser/store.ts';
import en from './en.json' with { type: 'json' };
import type laterTexts from './later/en.json';

type FirstStrings = typeof en;
/** Texts of all screens but the first; they load with the first of these. */
type LaterStrings = typeof laterTexts;
/** In English, an empty sentence for a problem means that the server's own is shown. */
export type Strings = FirstStrings & LaterStrings;

/** The paths of all texts below an object, `answer.noBird`. */
type PathsOf<Texts, Start extends string = ''> = {
  [Name in keyof Texts & string]: Texts[Name] extends string ? `${Start}${Name}` : PathsOf<Texts[Name], `${Start}${Name}.`>;
}[keyof Texts & string];
/** `birds_other` and `times_ordinal_two` are forms of `birds` and `times`. */
type WithoutForm<Path> = Path extends `${infer Key}_${Form}` ? (Key extends `${infer Bare}_ordinal` ? Bare : Key) : Path;
type Form = 'zero' | 'one' | 'two' | 'few' | 'other';
export type TextKey = WithoutForm<PathsOf<Strings>>;

/** What fills the gaps of a text, `{{name}}`, by their names. */
interface Values {
  readonly [name: string]: string | number | boolean | null | undefined;
  /** Chooses the form of the text. */
  readonly count?: number;
  /** The count is a place in an order: *third*. */
  readonly ordinal?: boolean;
  /** For a key that may be unknown. */
  readonly defaultValue?: string;
}

/** Gives a text in the interface's language; the key where there is none. */
export type Translate = (key: TextKey, values?: Values) => string;

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

/** Texts that have loaded, by language and path. */
const loaded = new Map<string, Map<string, string>>();

function add(language: string, texts: object, start = ''): void {
  const ofLanguage = loaded.get(language) ?? new Map<string, string>();
  loaded.set(language, ofLanguage);
  for (const [name, text] of Object.entries(texts)) {
    if (typeof text === 'string') ofLanguage.set(start + name, text);
    else add(language, text, `${start}${name}.`);
  }
}

function translateTo(language: string): Translate {
  const plural = new Intl.PluralRules(language);
  const ordinal = new Intl.PluralRules(language, { type: 'ordinal' });
  return (key, values = {}) => {
    const { count, ordinal: isOrdinal, defaultValue = key } = values;
    const form = count === undefined ? '' : isOrdinal ? `_ordinal_${ordinal.select(count)}` : `_${plural.select(count)}`;
    const texts = loaded.get(language);
    const [text = defaultValue] = [count === 0 ? '_zero' : form, form, ''].flatMap((end) => texts?.get(key + end) ?? []);
    return text.replace(/\{\{(\w+)\}\}/g, (_, name: string) => String(values[name] ?? ''));
  };
}

/** The interface's language, and its texts. */
export const spoken = createStore({ language: 'en', t: translateTo('en') });

/** The texts in the interface's language; a component that uses them is rendered again when the language changes. */
export function useTranslation() {
  const i18n = useStore(spoken);
  return { t: i18n.t, i18n };
}

export async function startI18n(language: string): Promise<void> {
  add('en', en);
  await speak(language);
}

let areLaterWanted = false;

/**
 * Loads the texts of `later` in the interface's language, and from now on in every language it changes to. Await it together with the
 * `import()` of a screen that needs them.
 *
 * @throws whatever the import throws
 */
export async function loadLaterTexts(): Promise<void> {
  areLaterWanted = true;
  const { language } = spoken.snapshot();
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
    spoken.set({ language, t: translateTo(language) });
    document.documentElement.lang = language;
  } catch (error) {
    // biome-ignore lint/suspicious/noConsole: a language that does not load is no reason to stop
    console.error('The interface language could not be loaded', error);
  }
}
