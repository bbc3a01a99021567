import type { SpectrumWindow } from '@chiffchaff/recognizer/audio';
import type { PaletteName } from './paint-levels.ts';

/** What the page asks of the worker: perhaps to warm up, to take one recording's samples, then any number of jobs. */
export type SpectrogramRequest =
  /** Nothing comes back: code that has run before is several times as fast. */
  | { readonly type: 'warm-up' }
  | { readonly type: 'load'; readonly channels: readonly Float32Array<ArrayBuffer>[]; readonly sampleRate: number }
  | { readonly type: 'job'; readonly id: number; readonly job: SpectrogramJob };

export type SpectrogramJob =
  /** Levels of a stretch of the loaded recording. */
  | { readonly kind: 'measure'; readonly window: SpectrumWindow }
  | { readonly kind: 'paint'; readonly levels: Uint8Array<ArrayBuffer>; readonly rows: number; readonly palette: PaletteName };

export interface SpectrogramResults {
  measure: Uint8Array<ArrayBuffer>;
  paint: ImageBitmap;
}

export interface SpectrogramReply {
  readonly id: number;
  readonly result: SpectrogramResults[keyof SpectrogramResults];
}
