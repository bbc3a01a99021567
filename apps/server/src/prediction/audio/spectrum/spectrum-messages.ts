import type { PredictionError } from '@chiffchaff/analysis';
import type { TileTask } from './draw-tile.ts';
import type { OverviewTask } from './write-overview.ts';

/** What the thread is asked. */
export type SpectrumRequest =
  | { readonly kind: 'overview'; readonly id: number; readonly task: OverviewTask }
  | { readonly kind: 'tile'; readonly id: number; readonly task: TileTask }
  | { readonly kind: 'cancel'; readonly id: number };

/** What it answers; `bytes` are a tile's. */
export type SpectrumReply =
  | { readonly id: number; readonly bytes: Uint8Array<ArrayBuffer> | null }
  /** `problem` is there when it is one of the catalogue's. */
  | { readonly id: number; readonly error: string; readonly problem: Pick<PredictionError, 'code' | 'details'> | null };
