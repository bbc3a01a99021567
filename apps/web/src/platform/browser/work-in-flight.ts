import { useSyncExternalStore } from 'react';

/*
 * Work that loading the page again would lose: a recording that is being sent or listened to. Whoever does such work says so here;
 * what would load the page again asks first.
 */
const pieces = new Set<symbol>();
const listeners = new Set<() => void>();
const tell = () => {
  for (const listener of listeners) listener();
};

/** Says that work has begun. @returns says that it has ended; more than one call does no harm */
export function beginWork(): () => void {
  const piece = Symbol('work');
  pieces.add(piece);
  tell();
  return () => {
    if (pieces.delete(piece)) tell();
  };
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** Whether anything is in flight, kept up to date. */
export const useIsWorking = (): boolean => useSyncExternalStore(subscribe, () => pieces.size > 0);
