/** Messages from a page to the service worker that waits to take over. */
export type WorkerMessage =
  | { readonly type: 'takeOver' }
  /** Asks whether its version includes this file; it responds with a boolean on the transferred port. */
  | { readonly type: 'hasFile'; readonly url: string };
