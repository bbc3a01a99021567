import { vi } from 'vitest';

/** What was written to the console as an error; from here on it counts as expected. */
export function takeConsoleErrors(): readonly (readonly unknown[])[] {
  // biome-ignore lint/suspicious/noConsole: this is where a test looks at it
  const spy = vi.mocked(console.error);
  const written = [...spy.mock.calls];
  spy.mockClear();
  return written;
}
