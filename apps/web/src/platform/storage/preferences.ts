import type { CorrectionKind } from '@chiffchaff/contract';
import { createStore, useStore } from '../browser/store.ts';

/** What a person likes, with nothing personal in it: one local-storage item, `preferences`. Every open tab follows a change. */
export interface Preferences {
  readonly theme: 'system' | 'light' | 'dark';
  /** Language of the interface; null follows the browser. */
  readonly language: string | null;
  /** Language of species names, as the server names it; null follows the interface. */
  readonly speciesLanguage: string | null;
  readonly spectrogramColours: 'viridis' | 'grey';
  /** Keys in the row of a bird, lower case; null for none. */
  readonly correctionKeys: Readonly<Record<CorrectionKind, string | null>>;
  /** Recordings are analysed in this page and not sent. */
  readonly analyseOnDevice: boolean;
  /** Chosen recordings are checked for speech before they are sent, where this device can do that. */
  readonly checkSpeech: boolean;
}

const PREFERENCES_KEY = 'preferences';

const DEFAULTS: Preferences = {
  theme: 'system',
  language: null,
  speciesLanguage: null,
  spectrogramColours: 'viridis',
  correctionKeys: { confirmed: 'y', rejected: 'n', corrected: 'o' },
  analyseOnDevice: false,
  checkSpeech: true,
};

const textOrNull = (value: unknown): string | null => (typeof value === 'string' && value.length <= 35 ? value : null);

/** One visible character; white space presses buttons. */
const KEY = /^[^\s\p{C}]$/u;

/** A choice without a key of its own that will do, or with one of another, has the usual one or none. */
function keysOf(stored: unknown): Preferences['correctionKeys'] {
  const chosen: { [name: string]: unknown } = typeof stored === 'object' && stored !== null ? { ...stored } : {};
  const keyOf = (kind: CorrectionKind): string | null => {
    const key = chosen[kind];
    return key === null || (typeof key === 'string' && KEY.test(key)) ? key : DEFAULTS.correctionKeys[kind];
  };
  const [confirmed, rejected, corrected] = [keyOf('confirmed'), keyOf('rejected'), keyOf('corrected')];
  return {
    confirmed,
    rejected: rejected === confirmed ? null : rejected,
    corrected: [confirmed, rejected].includes(corrected) ? null : corrected,
  };
}

/** Whatever the storage holds, the answer is usable: a damaged or unknown value counts as not chosen. */
export function readPreferences(stored: string | null): Preferences {
  let found: unknown;
  try {
    found = JSON.parse(stored ?? 'null');
  } catch {
    return DEFAULTS;
  }
  if (typeof found !== 'object' || found === null) return DEFAULTS;
  const { theme, language, speciesLanguage, spectrogramColours, correctionKeys, ...switches }: { [name: string]: unknown } = {
    ...found,
  };
  return {
    theme: theme === 'light' || theme === 'dark' ? theme : 'system',
    language: textOrNull(language),
    speciesLanguage: textOrNull(speciesLanguage),
    spectrogramColours: spectrogramColours === 'grey' ? 'grey' : 'viridis',
    correctionKeys: keysOf(correctionKeys),
    analyseOnDevice: switches.analyseOnDevice === true,
    checkSpeech: switches.checkSpeech !== false,
  };
}

/** A store over `window.localStorage`; where storage is forbidden, choices last as long as the page. */
export function createPreferenceStore() {
  const read = () => {
    try {
      return readPreferences(window.localStorage.getItem(PREFERENCES_KEY));
    } catch {
      return DEFAULTS;
    }
  };
  const store = createStore(read());
  const apply = (next: Preferences) => {
    const { dataset } = document.documentElement;
    if (next.theme === 'system') delete dataset.theme;
    else dataset.theme = next.theme;
    store.set(next);
  };
  apply(store.snapshot());
  window.addEventListener('storage', ({ key }) => {
    if (key === PREFERENCES_KEY || key === null) apply(read());
  });
  return {
    ...store,
    change(part: Partial<Preferences>) {
      const next = { ...store.snapshot(), ...part };
      try {
        window.localStorage.setItem(PREFERENCES_KEY, JSON.stringify(next));
      } catch {
        // Private windows may refuse; the choice then lasts as long as the page.
      }
      apply(next);
    },
  };
}

export const preferences = createPreferenceStore();

export const usePreferences = (): Preferences => useStore(preferences);
