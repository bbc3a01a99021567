import { cleanup, configure } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, expect, vi } from 'vitest';
import { loadLaterTexts, startI18n } from '../languages/i18n.ts';

// What is waited for comes at once, but a machine that does other things as well may take its time over it.
const patienceMs = 20_000;
configure({ asyncUtilTimeout: patienceMs });
const { waitFor } = vi;
vi.waitFor = (callback, options = patienceMs) => waitFor(callback, options);

/** What every component test starts from: English, an empty document, and a console that nobody may write to unexpectedly. */
beforeAll(async () => {
  await startI18n('en');
  await loadLaterTexts();
  // Layout is the browser's; without one, nothing has a size.
  window.ResizeObserver = class {
    observe() {}
    unobserve() {}
    disconnect() {}
  };
  window.scrollTo = () => {};
  // Nor has it threads: what one would compute stays away.
  window.Worker = class extends EventTarget implements Worker {
    onmessage = null;
    onmessageerror = null;
    onerror = null;
    postMessage() {}
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
