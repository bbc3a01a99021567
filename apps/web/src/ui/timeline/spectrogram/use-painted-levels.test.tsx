import { act, renderHook } from '@testing-library/react';
import { expect, it } from 'vitest';
import { preferences } from '../../../platform/storage/preferences.ts';
import { usePalette } from './use-painted-levels.ts';

it('The colours of spectrograms are the ink of the theme, also once the theme changes, unless others were chosen', () => {
  const { result } = renderHook(usePalette);
  const after = (choice: Parameters<typeof preferences.change>[0]) => {
    act(() => preferences.change(choice));
    return result.current;
  };
  expect(after({ theme: 'light' })).toBe('ink');
  expect(after({ theme: 'dark' })).toBe('darkInk');
  expect(after({ spectrogramColours: 'viridis' })).toBe('viridis');
  expect(after({ theme: 'system', spectrogramColours: 'ink' })).toBe('ink');
});
