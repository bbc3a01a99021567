import type { ModelManifest } from '../model/manifest.ts';

/** What a worker thread is started with. */
export interface WorkerSetUp {
  readonly folder: string;
  /** null: it runs no clips */
  readonly audio: ModelManifest['audio'] | null;
  readonly occurrence: ModelManifest['occurrence'];
  readonly labelCount: number;
  readonly maxBatchClips: number;
}

/** One clip of a batch, in memory that both threads see: nothing is copied to or fro, and nothing is lost when a worker dies. */
export interface SharedClip {
  readonly samples: Float32Array<SharedArrayBuffer>;
  readonly outputs: Float32Array<SharedArrayBuffer>;
}

export type WorkerTask =
  | { readonly kind: 'clips'; readonly clips: readonly SharedClip[] }
  /** `input` has latitude, longitude and week of each place, one behind the other. */
  | { readonly kind: 'occurrence'; readonly input: readonly number[] };

export type WorkerRequest = WorkerTask | { readonly kind: 'close' };

export type WorkerReply =
  | { readonly kind: 'ready' }
  /** The model does not fit the manifest, or cannot be loaded. */
  | { readonly kind: 'unfit'; readonly found: string; readonly expected: string }
  | { readonly kind: 'unreadable'; readonly file: string; readonly reason: string }
  /** The task is done; of clips the outputs are in their shared memory. */
  | { readonly kind: 'done'; readonly scores: Float32Array | null }
  | { readonly kind: 'failed'; readonly reason: string };
