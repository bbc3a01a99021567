import { onTestFinished, vi } from 'vitest';

const now = Date.now;

/** Sets `Date.now()` of this process ahead of the clock until the test ends. */
export function moveClock(aheadMs: number): void {
  const spy = vi.spyOn(Date, 'now').mockImplementation(() => now() + aheadMs);
  onTestFinished(() => void spy.mockRestore());
}
