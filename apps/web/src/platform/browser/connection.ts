import { createContext, useContext, useSyncExternalStore } from 'react';

/** Between two looks for a server that cannot be reached. */
const lookAgainMs = 10_000;
const answerWithinMs = 10_000;

/**
 * Whether the server can be reached. A browser's word for it is not enough: a server on the same machine or in the same house answers
 * without any internet, and a dead server is out of reach with it.
 */
export interface Connection {
  isOnline(): boolean;
  subscribe(listener: () => void): () => void;
  /** Looks now; called when a call got no answer. */
  check(): void;
}

async function reachServer(): Promise<boolean> {
  try {
    await fetch('/healthz', { cache: 'no-store', signal: AbortSignal.timeout(answerWithinMs) });
    return true; // whatever it said
  } catch {
    return false;
  }
}

/**
 * Follows the connection: looks when the browser says that something has changed, when a call got no answer, and every 10 s while
 * the server is out of reach.
 */
export function createConnection(reach: () => Promise<boolean> = reachServer): Connection {
  const listeners = new Set<() => void>();
  let online = true;
  let looking = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  async function look(): Promise<void> {
    if (looking) return;
    looking = true;
    clearTimeout(timer);
    const reached = await reach();
    looking = false;
    if (!reached) timer = setTimeout(check, lookAgainMs);
    if (reached === online) return;
    online = reached;
    for (const listener of listeners) listener();
  }
  const check = () => void look();

  window.addEventListener('online', check);
  window.addEventListener('offline', check);
  if (!navigator.onLine) check();
  return {
    isOnline: () => online,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    check,
  };
}

/** For parts of the page that stand alone: nothing is known to be out of reach. */
export const assumedConnection: Connection = { isOnline: () => true, subscribe: () => () => {}, check: () => {} };

const ConnectionContext = createContext<Connection>(assumedConnection);
export const ConnectionProvider = ConnectionContext.Provider;

export const useConnection = (): Connection => useContext(ConnectionContext);

/** Whether the server can be reached, kept up to date. */
export function useIsOnline(): boolean {
  const { subscribe, isOnline } = useConnection();
  return useSyncExternalStore(subscribe, isOnline);
}
