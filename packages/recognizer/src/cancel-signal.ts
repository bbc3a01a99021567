/** The part of `AbortSignal` that the core needs. Declared here because the core compiles without DOM and Node types. */
export interface CancelSignal {
  readonly aborted: boolean;
  /** Thrown when the work stops. */
  readonly reason: unknown;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/** @throws the signal's reason if it has been aborted */
export function throwIfCancelled(signal: CancelSignal | undefined): void {
  if (signal?.aborted) throw signal.reason;
}

/**
 * Yields the pieces of a stream until the signal aborts, even while waiting for the next piece.
 *
 * @throws the signal's reason when it aborts
 */
export async function* cancellable<Piece>(
  source: AsyncIterable<Piece>,
  signal: CancelSignal | undefined,
): AsyncGenerator<Piece, void> {
  const pieces = source[Symbol.asyncIterator]();
  let ended = false;
  try {
    for (;;) {
      throwIfCancelled(signal);
      const next = await unlessCancelled(pieces.next(), signal);
      if (next.done) {
        ended = true;
        return;
      }
      yield next.value;
    }
  } finally {
    // Not awaited, because a hanging generator would never return.
    if (!ended) pieces.return?.().then(undefined, () => undefined);
  }
}

/** Not `Promise.race`: racing one promise thousands of times keeps every round alive. */
function unlessCancelled<Value>(value: Promise<Value>, signal: CancelSignal | undefined): Promise<Value> {
  if (!signal) return value;
  return new Promise((resolve, reject) => {
    const cancel = (): void => reject(signal.reason);
    signal.addEventListener('abort', cancel);
    value.then(resolve, reject).finally(() => signal.removeEventListener('abort', cancel));
  });
}
