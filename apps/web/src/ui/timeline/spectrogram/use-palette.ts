import { useMedia } from '../../../platform/browser/store.ts';
import { usePreferences } from '../../../platform/storage/preferences.ts';
import type { PaletteName } from './worker/paint-levels.ts';

/** The colours to paint spectrograms in: the chosen ones, ink as in the theme that is shown. */
export function usePalette(): PaletteName {
  const { spectrogramColours, theme } = usePreferences();
  const isDarkDevice = useMedia('(prefers-color-scheme: dark)');
  const isDark = theme === 'system' ? isDarkDevice : theme === 'dark';
  return spectrogramColours === 'ink' && isDark ? 'darkInk' : spectrogramColours;
}
