import { type FocusEvent, useEffect, useState } from 'react';

/** So long does a notice stay that only informs. */
const stayMs = 4000;

/**
 * Takes a notice away after four seconds, but not while somebody points at it or is in it with the focus: then four seconds after that.
 *
 * @param shown what is shown; another one has its own four seconds; null while nothing is
 * @returns to be put on the notice's element
 */
export function useLeaving(shown: string | null, leave: () => void) {
  const [isPointedAt, setPointedAt] = useState(false);
  const [hasFocus, setFocus] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: how to take it away is always the same
  useEffect(() => {
    if (shown === null || isPointedAt || hasFocus) return undefined;
    const timer = setTimeout(leave, stayMs);
    return () => clearTimeout(timer);
  }, [shown, isPointedAt, hasFocus]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: one that goes takes pointer and focus along without a word
  useEffect(() => {
    setPointedAt(false);
    setFocus(false);
  }, [shown]);
  return {
    onPointerEnter: () => setPointedAt(true),
    onPointerLeave: () => setPointedAt(false),
    // A text has it only because it was put there: that holds nothing.
    onFocus: ({ target }: FocusEvent<HTMLElement>) => setFocus(target.tabIndex >= 0),
    onBlur: () => setFocus(false),
  };
}
