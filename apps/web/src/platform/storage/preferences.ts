import type { BirdVerdict } from '@chiffchaff/contract';
import { createStore, useStore } from '../browser/store.ts';
import { readJson, writeItem } from './registry.ts';

/** What a key says about a bird. */
export type KeyedVerdict = Exclude<BirdVerdict, 'added'>;

/** User preferences without personal data: one local-storage item, `preferences`. A change applies in every open tab. */
export interface Preferences {
  readonly theme: 'system' | 'light' | 'dark';
  /** Language of the interface; null follows the browser. */
  readonly language: string | null;
  /** Language of species names, as the server's code; null follows the interface. */
  readonly speciesLanguage: string | null;
  readonly spectrogramColours: 'ink' | 'viridis';
  /** Read by `readAids`, which the first page does not load. */
  readonly listeningAids: unknown;
  /** Shortcut keys in a bird's row: one visible character each, lower case, all different; null for none. */
  readonly reviewKeys: Readonly<Record<KeyedVerdict, string | null>>;
  /** `?` shows the list of keys. */
  readonly questionMark: boolean;
  /** Analyse recordings in this page instead of sending them. */
  readonly analyzeOnDevice: boolean;
  /** Check chosen recordings for speech before they are sent, if this device can. */
  readonly checkSpeech: boolean;
  /** Vibrate when live listening hears a new bird. */
  readonly vibrate: boolean;
}

const USUAL_KEYS: Preferences['reviewKeys'] = { confirmed: 'y', rejected: 'n', corrected: 'o' };

const textOrNull = (value: unknown): string | null => (typeof value === 'string' && value.length <= 35 ? value : null);

/** A damaged or unknown value counts as not chosen. Keys are as the list of keys has stored them. */
export function readPreferences(): Preferences {
  const found: { readonly [name: string]: unknown } = Object(readJson('localStorage', 'preferences'));
  const { theme, language, speciesLanguage, spectrogramColours, listeningAids, reviewKeys, ...switches } = found;
  return {
    theme: theme === 'light' || theme === 'dark' ? theme : 'system',
    language: textOrNull(language),
    speciesLanguage: textOrNull(speciesLanguage),
    spectrogramColours: spectrogramColours === 'viridis' ? 'viridis' : 'ink',
    listeningAids: listeningAids ?? null,
    reviewKeys: { ...USUAL_KEYS, ...Object(reviewKeys) },
    questionMark: switches.questionMark !== false,
    analyzeOnDevice: switches.analyzeOnDevice === true,
    checkSpeech: switches.checkSpeech !== false,
    vibrate: switches.vibrate === true,
  };
}

/** A store backed by `window.localStorage`; where storage is forbidden, choices last as long as the page. */
export function createPreferenceStore() {
  const store = createStore(readPreferences());
  const apply = (next: Preferences) => {
    const { dataset } = document.documentElement;
    if (next.theme === 'system') delete dataset.theme;
    else dataset.theme = next.theme;
    store.set(next);
  };
  apply(store.snapshot());
  window.addEventListener('storage', ({ key }) => {
    if (key === 'preferences' || key === null) apply(readPreferences());
  });
  return {
    ...store,
    change(part: Partial<Preferences>) {
      const next = { ...store.snapshot(), ...part };
      writeItem('localStorage', 'preferences', JSON.stringify(next));
      apply(next);
    },
  };
}

export const preferences = createPreferenceStore();

export const usePreferences = (): Preferences => useStore(preferences);
