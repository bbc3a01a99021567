import type { ModelManifest } from '../model/manifest.ts';

/** Start-up data of the worker. */
export interface WorkerStart {
  readonly kind: 'start';
  readonly audio: ModelManifest['audio'];
  readonly labelCount: number;
  readonly graph: ArrayBuffer;
  readonly weights: ArrayBuffer;
  /** LiteRT's WebAssembly */
  readonly runtime: ArrayBuffer;
}

export type WorkerRequest =
  | WorkerStart
  | { readonly kind: 'clip'; readonly id: number; readonly samples: Float32Array<ArrayBuffer> };

export type WorkerReply =
  | { readonly kind: 'ready' }
  /** The model cannot be loaded, or does not fit the manifest. */
  | { readonly kind: 'unreadable'; readonly reason: string }
  | { readonly kind: 'unfit'; readonly found: string; readonly expected: string }
  /** Returns the samples of the request, whose memory is reused. */
  | { readonly kind: 'done'; readonly id: number; readonly outputs: Float32Array; readonly samples: Float32Array<ArrayBuffer> }
  | { readonly kind: 'failed'; readonly id: number; readonly reason: string; readonly samples: Float32Array<ArrayBuffer> };
