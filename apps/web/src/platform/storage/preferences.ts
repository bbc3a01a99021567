import { useSyncExternalStore } from 'react';

/**
 * What a person likes, with nothing personal in it: one local-storage item, `preferences`. Libraries that would write items of
 * their own (colour scheme, language detector) are given this or none. Every open tab follows a change.
 */
export interface Preferences {
  readonly theme: 'system' | 'light' | 'dark';
  /** Language of the interface; null follows the browser. */
  readonly language: string | null;
  /** Language of species names, as the server names it; null follows the interface. */
  readonly speciesLanguage: string | null;
  readonly spectrogramColours: 'viridis' | 'grey';
}

export const preferencesKey = 'preferences';

const defaults: Preferences = { theme: 'system', language: null, speciesLanguage: null, spectrogramColours: 'viridis' };

const textOrNull = (value: unknown): string | null => (typeof value === 'string' && value.length <= 35 ? value : null);

/** Whatever the storage holds, the answer is usable: a damaged or unknown value counts as not chosen. */
export function readPreferences(stored: string | null): Preferences {
  let found: unknown;
  try {
    found = JSON.parse(stored ?? 'null');
  } catch {
    return defaults;
  }
  if (typeof found !== 'object' || found === null) return defaults;
  const { theme, language, speciesLanguage, spectrogramColours }: { [name: string]: unknown } = { ...found };
  return {
    theme: theme === 'light' || theme === 'dark' ? theme : 'system',
    language: textOrNull(language),
    speciesLanguage: textOrNull(speciesLanguage),
    spectrogramColours: spectrogramColours === 'grey' ? 'grey' : 'viridis',
  };
}

interface PreferenceStore {
  current(): Preferences;
  change(part: Partial<Preferences>): void;
  subscribe(listener: () => void): () => void;
}

/** A store over `window.localStorage`; where storage is forbidden, choices last as long as the page. */
export function createPreferenceStore(): PreferenceStore {
  const listeners = new Set<() => void>();
  const stored = () => {
    try {
      return window.localStorage.getItem(preferencesKey);
    } catch {
      return null;
    }
  };
  let current = readPreferences(stored());
  const apply = (next: Preferences) => {
    current = next;
    const { dataset } = document.documentElement;
    if (next.theme === 'system') delete dataset.theme;
    else dataset.theme = next.theme;
    for (const listener of listeners) listener();
  };
  apply(current);
  window.addEventListener('storage', (event) => {
    if (event.key === preferencesKey || event.key === null) apply(readPreferences(stored()));
  });
  return {
    current: () => current,
    change(part) {
      const next = { ...current, ...part };
      try {
        window.localStorage.setItem(preferencesKey, JSON.stringify(next));
      } catch {
        // Private windows may refuse; the choice then lasts as long as the page.
      }
      apply(next);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

export const preferences = createPreferenceStore();

export function usePreferences(): Preferences {
  return useSyncExternalStore(preferences.subscribe, preferences.current);
}
