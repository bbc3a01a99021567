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
