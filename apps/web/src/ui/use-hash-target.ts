import { useEffect } from 'react';
import { useLocation } from 'react-router';

/**
 * Scrolls to and focuses the element named by the address's hash; following the same link again scrolls again.
 *
 * @param shown changes when more of the page has loaded, which may include that element
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
