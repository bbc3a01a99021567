import type { ModelManifest } from '../model/manifest.ts';

/** Start-up data of a worker thread. */
export interface WorkerSetUp {
  readonly folder: string;
  /** null if it runs no clips */
  readonly audio: ModelManifest['audio'] | null;
  readonly occurrence: ModelManifest['occurrence'];
  readonly labelCount: number;
  readonly maxBatchClips: number;
}

/** A clip of a batch, in memory that both threads share: nothing is copied, and nothing is lost when a worker dies. */
export interface SharedClip {
  readonly samples: Float32Array<SharedArrayBuffer>;
  readonly outputs: Float32Array<SharedArrayBuffer>;
}

export type WorkerTask =
  | { readonly kind: 'clips'; readonly clips: readonly SharedClip[] }
  /** `input` holds latitude, longitude and week of each place, place after place. */
  | { readonly kind: 'occurrence'; readonly input: readonly number[] };

export type WorkerRequest = WorkerTask | { readonly kind: 'close' };

export type WorkerReply =
  | { readonly kind: 'ready' }
  /** The model does not match the manifest, or cannot be loaded. */
  | { readonly kind: 'unfit'; readonly found: string; readonly expected: string }
  | { readonly kind: 'unreadable'; readonly file: string; readonly reason: string }
  /** The task is done; the outputs of clips are in their shared memory. */
  | { readonly kind: 'done'; readonly scores: Float32Array | null }
  | { readonly kind: 'failed'; readonly reason: string };
