/** The result of a promise. @throws the signal's reason if it aborts first */
export function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: result, resolve, reject } = Promise.withResolvers<T>();
  const abort = (): void => reject(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  void promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  return result;
}
