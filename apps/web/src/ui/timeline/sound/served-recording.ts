import type { KeptMoment, SpectrogramQuery } from '@chiffchaff/contract';

/** A recording's sound as the server keeps it: to be looked at and listened to where the browser cannot do so by itself. */
export interface ServedRecording {
  /** What of the recording the sound holds; absent when all of it. */
  readonly excerpts: readonly KeptMoment[] | undefined;
  /**
   * Levels of a stretch, once there are some.
   *
   * @param onWait told why they are not there yet, whenever that is asked in vain
   * @throws Error when the server refuses, or has nothing after five minutes; AbortError when the signal aborts
   */
  readLevels(query: SpectrogramQuery, signal: AbortSignal, onWait?: (why: Wait) => void): Promise<Uint8Array<ArrayBuffer>>;
  /** A fresh address of the sound for an `<audio>` element, once there is one. @throws Error as `readLevels` */
  audioUrl(signal: AbortSignal, onWait?: (why: Wait) => void): Promise<string>;
}

/** Why sound or picture is not here yet; it comes by itself. `preparing`: the server is making it · `outOfReach`: it does not answer. */
export type Wait = 'preparing' | 'outOfReach';
