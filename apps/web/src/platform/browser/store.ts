import { useEffect, useSyncExternalStore } from 'react';

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

/** The recorded session that ended because its screen was left, until it is opened or dismissed; null for none. */
export const leftSession = createStore<string | null>(null);

/** Whether a screen, with its texts, has been shown since the page was opened. */
export const hasShownScreen = createStore(false);

/** @param isShown false while the screen is loading */
export function useScreenShown(isShown = true): void {
  useEffect(() => {
    if (isShown) hasShownScreen.set(true);
  }, [isShown]);
}

/** Whether the window is at least this wide. @param rem the width, in root font sizes */
export const useIsWide = (rem: number): boolean => useMedia(`(min-width: ${rem}rem)`);

/** Whether a media query matches now. */
export function useMedia(query: string): boolean {
  return useSyncExternalStore(
    (onChange) => {
      const media = window.matchMedia(query);
      media.addEventListener('change', onChange);
      return () => media.removeEventListener('change', onChange);
    },
    () => window.matchMedia(query).matches,
  );
}
