import { createStore, useStore } from '../browser/store.ts';

/** What a person likes, with nothing personal in it: one local-storage item, `preferences`. Every open tab follows a change. */
export interface Preferences {
  readonly theme: 'system' | 'light' | 'dark';
  /** Language of the interface; null follows the browser. */
  readonly language: string | null;
  /** Language of species names, as the server names it; null follows the interface. */
  readonly speciesLanguage: string | null;
  readonly spectrogramColours: 'viridis' | 'grey';
}

const PREFERENCES_KEY = 'preferences';

const DEFAULTS: Preferences = { theme: 'system', language: null, speciesLanguage: null, spectrogramColours: 'viridis' };

const textOrNull = (value: unknown): string | null => (typeof value === 'string' && value.length <= 35 ? value : null);

/** Whatever the storage holds, the answer is usable: a damaged or unknown value counts as not chosen. */
export function readPreferences(stored: string | null): Preferences {
  let found: unknown;
  try {
    found = JSON.parse(stored ?? 'null');
  } catch {
    return DEFAULTS;
  }
  if (typeof found !== 'object' || found === null) return DEFAULTS;
  const { theme, language, speciesLanguage, spectrogramColours }: { [name: string]: unknown } = { ...found };
  return {
    theme: theme === 'light' || theme === 'dark' ? theme : 'system',
    language: textOrNull(language),
    speciesLanguage: textOrNull(speciesLanguage),
    spectrogramColours: spectrogramColours === 'grey' ? 'grey' : 'viridis',
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
