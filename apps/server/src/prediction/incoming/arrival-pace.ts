import type { IncomingMessage } from 'node:http';

/** How fast a body has to arrive. What is announced as large has to come faster, so that it holds its place among those that arrive no longer. */
export interface ArrivalPace {
  /** Every so many milliseconds … */
  readonly milliseconds: number;
  /** … at least so many bytes must arrive. */
  readonly minBytes: number;
  /** All of it must be through in so many seconds, … */
  readonly wholeSeconds: number;
  /** … unless that were faster than this. */
  readonly mostBytesPerSecond: number;
}

/**
 * Half a minute may pass with hardly anything: a walk through a tunnel, not a connection that is held open for nothing. A memo of 10 MB
 * gets through by a phone with 17 kB/s; 64 kB/s is a slow line at home.
 */
export const arrivalPace: ArrivalPace = {
  milliseconds: 30_000,
  minBytes: 64 * 1024,
  wholeSeconds: 600,
  mostBytesPerSecond: 64_000,
};

/** What has arrived of a piece is kept, and the rest comes again: a piece may be as slow as a memo. */
export const paceOfPieces = (pace: ArrivalPace): ArrivalPace => ({
  ...pace,
  mostBytesPerSecond: Math.min(pace.mostBytesPerSecond, MEMO_BYTES / pace.wholeSeconds),
});

const MEMO_BYTES = 10_000_000;
/** The average counts after so many windows. */
const GRACE_WINDOWS = 2;

/** @param announcedBytes null for a body of unknown length, which counts as a memo, or as long as it has become */
export function watchPace(
  request: Pick<IncomingMessage, 'complete'>,
  pace: ArrivalPace,
  announcedBytes: number | null,
  onTooSlow: () => void,
) {
  const { milliseconds, minBytes, wholeSeconds, mostBytesPerSecond } = pace;
  const start = performance.now();
  let bytes = 0;
  let bytesInWindow = 0;

  function isTooSlow(): boolean {
    if (bytesInWindow < minBytes) return true;
    const expectedBytes = announcedBytes ?? Math.max(bytes, MEMO_BYTES);
    const bytesPerSecond = Math.min(expectedBytes / wholeSeconds, mostBytesPerSecond);
    const seconds = (performance.now() - start - GRACE_WINDOWS * milliseconds) / 1000;
    return bytes < bytesPerSecond * seconds;
  }

  const timer = setInterval(() => {
    if (!request.complete && isTooSlow()) onTooSlow();
    bytesInWindow = 0;
  }, milliseconds);
  return {
    count(more: number): void {
      bytes += more;
      bytesInWindow += more;
    },
    stop: () => clearInterval(timer),
  };
}
