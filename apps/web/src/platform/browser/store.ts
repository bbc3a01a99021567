import { useSyncExternalStore } from 'react';

/** A value that changes outside React; subscribers are called after each change. */
export interface Store<Value> {
  snapshot(): Value;
  /** @returns a function that ends the subscription */
  subscribe(listener: () => void): () => void;
}

export function createStore<Value>(initial: Value): Store<Value> & { set(next: Value): void } {
  const listeners = new Set<() => void>();
  let value = initial;
  return {
    snapshot: () => value,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    set(next) {
      value = next;
      for (const listener of listeners) listener();
    },
  };
}

export const useStore = <Value>({ subscribe, snapshot }: Store<Value>): Value => useSyncExternalStore(subscribe, snapshot);

/** Whether a recording is being sent or analysed. A reload would lose it, so the page asks before it reloads. */
export const workInFlight = createStore(false);

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
