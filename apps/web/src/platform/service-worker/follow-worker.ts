import { createStore } from '../browser/store.ts';
import type { WorkerMessage } from './messages.ts';

const WORKER_PATH = '/service-worker.js';

const consoleNotices = {
  newContent: 'New content is available; it is used once it has been accepted, or all tabs of this page are closed.',
  cached: 'Content is cached for offline use.',
  noConnection: 'No internet connection found. The app runs offline.',
  registrationError: 'Error during service worker registration:',
} as const;

// biome-ignore lint/suspicious/noConsole: the specification asks for it
const say = (notice: keyof typeof consoleNotices): void => console.info(consoleNotices[notice]);

/** Minimum time between update checks while a page stays open. */
const UPDATE_CHECK_MS = 3_600_000;
const ANSWER_WITHIN_MS = 2000;

export interface WorkerNews {
  /** A newer version than this page's is installed and waiting. */
  readonly updateReady: boolean;
  /** The page has been cached for the first time and now opens offline. */
  readonly offlineReady: boolean;
}

interface Options {
  /** undefined if the browser offers none, as on plain http in a local network */
  readonly container: ServiceWorkerContainer | undefined;
  readonly hostname: string;
  readonly reload: () => void;
  /** URL of a script that only this version has. */
  readonly ownScript: string;
}

const isLocalhost = (hostname: string): boolean => /^(localhost|\[::1\]|127(\.\d{1,3}){3})$/.test(hostname);

/** Checks that our worker exists: on localhost, the registered one may belong to another project that was served there before. */
async function lookForWorkerFile(): Promise<'script' | 'missing' | 'unreachable'> {
  try {
    const answer = await fetch(WORKER_PATH, { headers: { 'Service-Worker': 'script' }, cache: 'no-store' });
    const isScript = /javascript/.test(answer.headers.get('content-type') ?? 'javascript');
    return answer.status === 404 || !isScript ? 'missing' : 'script';
  } catch {
    return 'unreachable';
  }
}

/** Whether the waiting worker has the version that is already on screen. It often does, since navigations go to the server first. */
function hasFile(worker: ServiceWorker, url: string): Promise<boolean> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    setTimeout(() => resolve(false), ANSWER_WITHIN_MS);
    port1.onmessage = ({ data }) => resolve(data === true);
    worker.postMessage({ type: 'hasFile', url } satisfies WorkerMessage, [port2]);
  });
}

/** Registers `/service-worker.js` and reports its state, to subscribers and, as specified, on the console. */
export function followWorker({ container, hostname, reload, ownScript }: Options) {
  const { set, ...news } = createStore<WorkerNews>({ updateReady: false, offlineReady: false });
  let waiting: ServiceWorker | null = null;

  const offer = async (worker: ServiceWorker) => {
    waiting = worker;
    if (!(await hasFile(worker, ownScript))) set({ updateReady: true, offlineReady: false });
  };

  function follow(registration: ServiceWorkerRegistration): void {
    if (registration.waiting) void offer(registration.waiting);
    registration.addEventListener('updatefound', () => {
      const { installing } = registration;
      installing?.addEventListener('statechange', () => {
        if (installing.state !== 'installed') return;
        if (registration.active) {
          say('newContent');
          void offer(installing);
        } else {
          say('cached');
          set({ ...news.snapshot(), offlineReady: true });
        }
      });
    });
    let checkedAt = Date.now();
    document.addEventListener('visibilitychange', () => {
      if (document.visibilityState !== 'visible' || Date.now() - checkedAt < UPDATE_CHECK_MS) return;
      checkedAt = Date.now();
      // It fails offline, when there is nothing new.
      registration.update().catch(() => {});
    });
  }

  async function start(): Promise<void> {
    if (!container) return;
    const file = isLocalhost(hostname) ? await lookForWorkerFile() : navigator.onLine ? 'script' : 'unreachable';
    if (file === 'missing') {
      const registration = await container.getRegistration();
      if (registration && (await registration.unregister())) reload();
      return;
    }
    if (file === 'unreachable') say('noConnection');
    try {
      const kept = file === 'unreachable' ? await container.getRegistration() : undefined;
      follow(kept ?? (await container.register(WORKER_PATH)));
    } catch (error) {
      // biome-ignore lint/suspicious/noConsole: the specification asks for it
      console.error(consoleNotices.registrationError, error);
    }
  }

  return {
    ...news,
    start,
    /** Activates the waiting version, then reloads the page. Nothing else ever does either. */
    acceptUpdate() {
      const worker = waiting;
      if (!worker) return;
      worker.addEventListener('statechange', () => {
        if (worker.state === 'activated') reload();
      });
      worker.postMessage({ type: 'takeOver' } satisfies WorkerMessage);
    },
    dismiss: () => set({ updateReady: false, offlineReady: false }),
  };
}

export type FollowedWorker = ReturnType<typeof followWorker>;
