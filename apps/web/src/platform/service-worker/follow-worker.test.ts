import { afterEach, beforeEach, describe, expect, it, type MockInstance, vi } from 'vitest';
import { takeConsoleErrors } from '../../testing/expected-console.ts';
import { followWorker } from './follow-worker.ts';

/** The parts of a registration that the page uses. */
class FakeRegistration extends EventTarget {
  installing: ServiceWorker | null = null;
  waiting: ServiceWorker | null = null;
  active: ServiceWorker | null = null;
  unregister = vi.fn(async () => true);
}

/** Only browsers can create real ones (`e2e/offline.test.ts`). */
const asContainer = (part: object) => part as ServiceWorkerContainer;

let reload: ReturnType<typeof vi.fn<() => void>>;
let info: MockInstance<typeof console.info>;
let registration: FakeRegistration;
let register: ReturnType<typeof vi.fn<(path: string) => Promise<FakeRegistration>>>;

beforeEach(() => {
  reload = vi.fn();
  info = vi.spyOn(console, 'info').mockImplementation(() => {});
  registration = new FakeRegistration();
  register = vi.fn(async () => registration);
});
afterEach(() => vi.unstubAllGlobals());

const follow = (hostname: string) =>
  followWorker({
    container: asContainer({ register, getRegistration: async () => registration }),
    hostname,
    reload,
    ownScript: '/assets/index-1.js',
  });

describe('The service worker of the page', () => {
  it('is registered without a prior request for its file on hosts other than localhost', async () => {
    const fetch = vi.fn();
    vi.stubGlobal('fetch', fetch);
    await follow('chiffchaff.example').start();
    expect(register).toHaveBeenCalledWith('/service-worker.js');
    expect(fetch).not.toHaveBeenCalled();
    expect(info).not.toHaveBeenCalled();
  });

  it('is not registered in a browser without service workers, and nothing fails', async () => {
    const worker = followWorker({ container: undefined, hostname: 'localhost', reload, ownScript: '' });
    await worker.start();
    expect(worker.snapshot()).toEqual({ updateReady: false, offlineReady: false });
  });

  it.each(['localhost', '127.0.0.1', '127.1.2.3', '[::1]'])(
    'has its file requested before it is registered on %s',
    async (hostname) => {
      const fetch = vi.fn(async () => new Response('', { headers: { 'content-type': 'text/html' } }));
      vi.stubGlobal('fetch', fetch);
      await follow(hostname).start();
      expect(fetch).toHaveBeenCalledTimes(1);
      expect(registration.unregister).toHaveBeenCalledTimes(1);
      expect(reload).toHaveBeenCalledTimes(1);
      expect(register).not.toHaveBeenCalled();
    },
  );

  it('reports that the page works offline when there is no connection', async () => {
    vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false);
    await follow('chiffchaff.example').start();
    expect(info).toHaveBeenCalledWith('No internet connection found. The app runs offline.');
    expect(register).not.toHaveBeenCalled();
  });

  it('reports on the console why it could not be registered', async () => {
    const failure = new TypeError('refused');
    register.mockRejectedValueOnce(failure);
    await follow('chiffchaff.example').start();
    expect(takeConsoleErrors()).toEqual([['Error during service worker registration:', failure]]);
  });
});
