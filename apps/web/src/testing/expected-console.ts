import { vi } from 'vitest';

/** Returns the console errors so far and clears them, so that they count as expected. */
export function takeConsoleErrors(): readonly (readonly unknown[])[] {
  // biome-ignore lint/suspicious/noConsole: this is where a test looks at it
  const spy = vi.mocked(console.error);
  const written = [...spy.mock.calls];
  spy.mockClear();
  return written;
}
