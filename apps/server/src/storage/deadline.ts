import { StorageError } from './storage-error.ts';

/** Aborts when the storage has made no progress in time, or when the given signal aborts. */
export interface Deadline extends Disposable {
  readonly signal: AbortSignal;
  /** Call after progress. @param ms allowed from now on */
  extend(ms: number): void;
}

export function openDeadline(ms: number, signal?: AbortSignal): Deadline {
  const late = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const extend = (longerMs: number): void => {
    clearTimeout(timer);
    timer = setTimeout(() => late.abort(new StorageError('AWAY', 'The storage is not responding.')), longerMs);
  };
  extend(ms);
  return {
    signal: signal === undefined ? late.signal : AbortSignal.any([late.signal, signal]),
    extend,
    [Symbol.dispose]: () => clearTimeout(timer),
  };
}
