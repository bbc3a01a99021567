import { StorageError } from './storage-error.ts';

/** Aborts when the storage has made no progress in time, or when the given signal aborts. */
export function openDeadline(ms: number, signal?: AbortSignal) {
  const late = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  /** Call after progress. @param longerMs allowed from now on */
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
