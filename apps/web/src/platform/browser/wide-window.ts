import { useSyncExternalStore } from 'react';

/** Whether the window is at least this wide. @param rem the width, in root font sizes */
export function useIsWide(rem: number): boolean {
  const query = `(min-width: ${rem}rem)`;
  return useSyncExternalStore(
    (onChange) => {
      const wide = window.matchMedia(query);
      wide.addEventListener('change', onChange);
      return () => wide.removeEventListener('change', onChange);
    },
    () => window.matchMedia(query).matches,
  );
}
