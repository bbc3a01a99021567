/** What a page tells the service worker that waits to take over. */
export type WorkerMessage =
  | { readonly type: 'takeOver' }
  /** Asks whether its version has this file; the answer, a boolean, comes through the port that was sent along. */
  | { readonly type: 'hasFile'; readonly url: string };
