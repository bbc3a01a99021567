import type { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { HttpProblem } from '../../http/http-problem.ts';
import { announcedBytesOf } from './disk-guard.ts';

/** How fast a body has to arrive. A larger body must be faster, so that it holds its place no longer than a small one. */
export interface ArrivalPace {
  /** the length of a window */
  readonly milliseconds: number;
  /** bytes that must arrive in each window */
  readonly minBytes: number;
  /** the time for the whole body */
  readonly wholeSeconds: number;
  /** No faster average than this is required. */
  readonly mostBytesPerSecond: number;
}

/**
 * A window allows a walk through a tunnel, but not a connection that is held open for nothing. A memo of 10 MB gets through from a phone at
 * 17 kB/s; 64 kB/s is a slow line at home.
 */
export const arrivalPace: ArrivalPace = {
  milliseconds: 30_000,
  minBytes: 64 * 1024,
  wholeSeconds: 600,
  mostBytesPerSecond: 64_000,
};

/** The part of a piece that has arrived is kept, so a piece may be as slow as a memo. */
export const paceOfPieces = (pace: ArrivalPace): ArrivalPace => ({
  ...pace,
  mostBytesPerSecond: Math.min(pace.mostBytesPerSecond, MEMO_BYTES / pace.wholeSeconds),
});

const MEMO_BYTES = 10_000_000;
/** This many windows are not counted against the average. */
const GRACE_WINDOWS = 2;

/**
 * Watches a body while something else reads it. One of unknown length counts as a memo, or as what has arrived if that is more.
 *
 * @param onBytes called with the size of each piece of it
 * @param onTooSlow called with UPLOAD_TIMEOUT, perhaps several times
 * @returns stops watching
 */
export function watchPace(
  request: EventEmitter & Pick<IncomingMessage, 'complete' | 'headers'>,
  pace: ArrivalPace,
  onBytes: (bytes: number) => void,
  onTooSlow: (problem: HttpProblem) => void,
): Disposable {
  const { milliseconds, minBytes, wholeSeconds, mostBytesPerSecond } = pace;
  const announcedBytes = announcedBytesOf(request);
  let windows = -GRACE_WINDOWS;
  let bytes = 0;
  let bytesBefore = 0;

  const timer = setInterval(() => {
    windows += 1;
    const bytesPerSecond = Math.min((announcedBytes ?? Math.max(bytes, MEMO_BYTES)) / wholeSeconds, mostBytesPerSecond);
    const leastBytes = Math.max(bytesBefore + minBytes, (bytesPerSecond * windows * milliseconds) / 1000);
    if (!request.complete && bytes < leastBytes) onTooSlow(new HttpProblem('UPLOAD_TIMEOUT', {}));
    bytesBefore = bytes;
  }, milliseconds);
  const count = ({ length }: Buffer): void => {
    bytes += length;
    onBytes(length);
  };
  request.on('data', count);
  return {
    [Symbol.dispose]() {
      clearInterval(timer);
      request.off('data', count);
    },
  };
}
