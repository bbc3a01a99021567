import { useEffect, useState } from 'react';

/** What stands in a field, without blanks around it, as soon as typing pauses for so long. */
export function useTyped(text: string, pauseMs: number): string {
  const typed = text.trim();
  const [settled, setSettled] = useState(typed);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(typed), pauseMs);
    return () => clearTimeout(timer);
  }, [typed, pauseMs]);
  return settled;
}
