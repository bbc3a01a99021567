import { useEffect } from 'react';
import { createStore } from '../../platform/browser/store.ts';
import { preferences } from '../../platform/storage/preferences.ts';

/** Whether the list of keys is shown. */
export const keysShown = createStore(false);

/** Shows the list of keys when `?` is pressed, except in a field, and unless that is turned off (WCAG 2.1.4). */
export function useKeysKey(): void {
  useEffect(() => {
    const press = ({ key, target, ctrlKey, metaKey, altKey }: KeyboardEvent) => {
      if (key !== '?' || ctrlKey || metaKey || altKey || !preferences.snapshot().questionMark) return;
      if (target instanceof Element && target.closest('input, textarea, select, [contenteditable], dialog') !== null) return;
      keysShown.set(true);
    };
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  }, []);
}
