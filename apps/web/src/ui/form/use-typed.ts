import { useEffect, useState } from 'react';

/** The trimmed text of a field, once typing has paused for `pauseMs`. */
export function useTyped(text: string, pauseMs: number): string {
  const typed = text.trim();
  const [settled, setSettled] = useState(typed);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(typed), pauseMs);
    return () => clearTimeout(timer);
  }, [typed, pauseMs]);
  return settled;
}
