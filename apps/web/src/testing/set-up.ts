import { cleanup, configure } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, expect, vi } from 'vitest';
import { loadLaterTexts, startI18n } from '../languages/i18n.ts';

// Awaited results come at once, but a busy machine may take longer.
const patienceMs = 20_000;
configure({ asyncUtilTimeout: patienceMs });
const { waitFor } = vi;
vi.waitFor = (callback, options = patienceMs) => waitFor(callback, options);

// Before a file of tests is imported: some read texts at once, and the file before may have ended in another language.
await startI18n('en');
await loadLaterTexts();

/** The starting point of every component test: English, an empty document, and a console that allows no unexpected output. */
beforeAll(() => {
  // Only a browser has layout; here, nothing has a size.
  window.ResizeObserver = class {
    observe() {}
    unobserve() {}
    disconnect() {}
  };
  window.scrollTo = () => {};
  // There are no threads either: what a worker would compute never arrives. It fails for those who wait for it.
  window.Worker = class extends EventTarget implements Worker {
    onmessage = null;
    onmessageerror = null;
    onerror: Worker['onerror'] = null;
    postMessage() {
      this.onerror?.(new ErrorEvent('error'));
    }
    terminate() {}
  };
});

beforeEach(() => {
  window.localStorage.clear();
  window.sessionStorage.clear();
  vi.spyOn(console, 'error').mockImplementation(() => {});
  vi.spyOn(console, 'warn').mockImplementation(() => {});
});

afterEach(() => {
  cleanup();
  // biome-ignore lint/suspicious/noConsole: what a test let pass is looked at here
  const written = [...vi.mocked(console.error).mock.calls, ...vi.mocked(console.warn).mock.calls];
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  vi.useRealTimers();
  expect(written, 'console output that the test did not expect').toEqual([]);
});
