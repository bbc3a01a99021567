/** Adds up milliseconds; runs when it is made. */
export interface Stopwatch {
  resume(): void;
  /** @returns the milliseconds so far */
  pause(): number;
}

export function createStopwatch(): Stopwatch {
  let startedAt: number | null = performance.now();
  let elapsed = 0;
  return {
    resume() {
      startedAt ??= performance.now();
    },
    pause() {
      if (startedAt !== null) elapsed += performance.now() - startedAt;
      startedAt = null;
      return elapsed;
    },
  };
}

/** Passes a stream on and lets the stopwatch run while its next piece is waited for. */
export async function* timed<Piece>(source: AsyncIterable<Piece>, stopwatch: Stopwatch): AsyncGenerator<Piece, void> {
  stopwatch.resume();
  for await (const piece of source) {
    stopwatch.pause();
    yield piece;
    stopwatch.resume();
  }
  stopwatch.pause();
}
