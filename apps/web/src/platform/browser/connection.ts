import { createContext, useContext } from 'react';
import { createStore, type Store, useStore } from './store.ts';

const LOOK_AGAIN_MS = 10_000;
const ANSWER_WITHIN_MS = 10_000;

/** Whether the server can be reached. `navigator.onLine` cannot tell: a server on the same machine responds without any internet. */
export interface Connection extends Store<boolean> {
  /** Checks now; called when a request got no response. */
  check(): void;
}

async function reachServer(): Promise<boolean> {
  try {
    await fetch('/healthz', { cache: 'no-store', signal: AbortSignal.timeout(ANSWER_WITHIN_MS) });
    return true; // whatever the status
  } catch {
    return false;
  }
}

/** Checks when the browser goes online or offline, when a request got no response, and every 10 s while the server is out of reach. */
export function createConnection(reach: () => Promise<boolean> = reachServer): Connection {
  const { set, ...online } = createStore(true);
  let looking = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  async function look(): Promise<void> {
    if (looking) return;
    looking = true;
    clearTimeout(timer);
    const reached = await reach();
    looking = false;
    if (!reached) timer = setTimeout(check, LOOK_AGAIN_MS);
    if (reached !== online.snapshot()) set(reached);
  }
  const check = () => void look();

  window.addEventListener('online', check);
  window.addEventListener('offline', check);
  if (!navigator.onLine) check();
  return { ...online, check };
}

/** Always online, for components that are rendered without a provider. */
export const assumedConnection: Connection = { ...createStore(true), check: () => {} };

const ConnectionContext = createContext<Connection>(assumedConnection);
export const ConnectionProvider = ConnectionContext.Provider;

export const useIsOnline = (): boolean => useStore(useContext(ConnectionContext));
