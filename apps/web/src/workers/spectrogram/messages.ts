import type { SpectrogramView } from './spectrogram.ts';

/** What the page asks of the worker: first one recording, then any number of images of it. */
export type SpectrogramRequest =
  | { readonly type: 'load'; readonly channels: readonly Float32Array<ArrayBuffer>[]; readonly sampleRate: number }
  | { readonly type: 'draw'; readonly id: number; readonly view: SpectrogramView };

/** One image; `id` is the request's. */
export interface SpectrogramImage {
  readonly id: number;
  readonly view: SpectrogramView;
  readonly pixels: Uint8ClampedArray<ArrayBuffer>;
}
