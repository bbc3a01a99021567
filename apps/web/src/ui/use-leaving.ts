import { type FocusEvent, useEffect, useState } from 'react';

/** So long does a notice stay that only informs. */
const STAY_MS = 4000;

/**
 * Takes a notice away after four seconds, but not while it is pointed at or has the focus: then four seconds after that.
 *
 * @param isOver it only informs, from now on
 */
export function useLeaving(isOver: boolean, leave: () => void) {
  const [isPointedAt, setPointedAt] = useState(false);
  const [hasFocus, setFocus] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: how to take it away is always the same
  useEffect(() => {
    if (!isOver || isPointedAt || hasFocus) return undefined;
    const timer = setTimeout(leave, STAY_MS);
    return () => clearTimeout(timer);
  }, [isOver, isPointedAt, hasFocus]);
  return {
    onPointerEnter: () => setPointedAt(true),
    onPointerLeave: () => setPointedAt(false),
    // A text has it only because it was put there: that holds nothing.
    onFocus: ({ target }: FocusEvent<HTMLElement>) => setFocus(target.tabIndex >= 0),
    onBlur: () => setFocus(false),
  };
}
