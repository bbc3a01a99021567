import { describe, expect, it } from 'vitest';
import { createPreferenceStore, readPreferences } from './preferences.ts';

const reviewKeys = { confirmed: 'y', rejected: 'n', corrected: 'o' };
const defaults = {
  ...{ theme: 'system', language: null, speciesLanguage: null, spectrogramColours: 'ink', listeningAids: null, reviewKeys },
  ...{ questionMark: true, analyzeOnDevice: false, checkSpeech: true, vibrate: false },
};

describe('The preferences of the page', () => {
  it.each([null, '', 'null', '{', '[1]', '"dark"', '{"theme":"neon","language":7}'])(
    'are the defaults if the storage holds %o',
    (stored) => {
      if (stored !== null) window.localStorage.setItem('preferences', stored);
      expect(readPreferences()).toEqual(defaults);
    },
  );

  it('are stored in a single item of the browser’s storage', () => {
    createPreferenceStore().change({ theme: 'dark', language: 'de' });
    expect({ ...window.localStorage }).toEqual({ preferences: JSON.stringify({ ...defaults, theme: 'dark', language: 'de' }) });
    expect(createPreferenceStore().snapshot()).toEqual({ ...defaults, theme: 'dark', language: 'de' });
  });

  it('have the review keys that were chosen, and the usual ones for the rest', () => {
    window.localStorage.setItem('preferences', '{"reviewKeys":{"confirmed":"j","rejected":null}}');
    expect(readPreferences().reviewKeys).toEqual({ confirmed: 'j', rejected: null, corrected: 'o' });
  });

  it('mark the document with the chosen theme, and with none if the device decides', () => {
    const store = createPreferenceStore();
    store.change({ theme: 'light' });
    expect(document.documentElement.dataset.theme).toBe('light');
    store.change({ theme: 'system' });
    expect(document.documentElement.dataset.theme).toBeUndefined();
  });

  it('take over a change that another tab stored, and report it to the page', () => {
    const store = createPreferenceStore();
    let heard = 0;
    store.subscribe(() => {
      heard += 1;
    });
    window.localStorage.setItem('preferences', '{"theme":"dark"}');
    window.dispatchEvent(new StorageEvent('storage', { key: 'preferences' }));
    expect(store.snapshot().theme).toBe('dark');
    expect(heard).toBe(1);
    store.change({ theme: 'system' });
  });
});
