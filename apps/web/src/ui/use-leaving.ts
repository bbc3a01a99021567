import { type FocusEvent, useEffect, useState } from 'react';

/** How long a purely informative notice stays. */
const STAY_MS = 4000;

/**
 * Dismisses a notice after a while without the pointer on it or the focus in it.
 *
 * @param isOver whether the notice is purely informative from now on
 */
export function useLeaving(isOver: boolean, leave: () => void, stayMs = STAY_MS) {
  const [isPointedAt, setPointedAt] = useState(false);
  const [hasFocus, setFocus] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: how to take it away is always the same
  useEffect(() => {
    if (!isOver || isPointedAt || hasFocus) return undefined;
    const timer = setTimeout(leave, stayMs);
    return () => clearTimeout(timer);
  }, [isOver, isPointedAt, hasFocus]);
  return {
    onPointerEnter: () => setPointedAt(true),
    onPointerLeave: () => setPointedAt(false),
    // A text has the focus only because code put it there, so that does not hold the notice.
    onFocus: ({ target }: FocusEvent<HTMLElement>) => setFocus(target.tabIndex >= 0),
    onBlur: () => setFocus(false),
  };
}
