import { useEffect } from 'react';
import { useLocation } from 'react-router';

/**
 * Leads to the element that the address names after its `#`, the keyboard, too; following the same link twice scrolls twice.
 *
 * @param shown changes when more of the page has come, that element perhaps with it
 */
export function useHashTarget(shown: unknown): void {
  const { hash, key } = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: `key` differs each time a link is followed, `shown` when there is more to find
  useEffect(() => {
    const target = hash === '' ? null : document.getElementById(decodeURIComponent(hash.slice(1)));
    target?.scrollIntoView();
    target?.focus({ preventScroll: true });
  }, [hash, key, shown]);
}
