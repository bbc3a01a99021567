import type { PredictionErrorCode } from '../errors.ts';

/** What a recording ends in: a problem code, or an answer. */
export type Outcome = PredictionErrorCode | 'answered';

/** A file sent by mistake or made to do harm, and its allowed outcomes. */
export interface OddRecording {
  /** What the file is; used in test titles. */
  readonly what: string;
  readonly fileName: string;
  readonly bytes: () => Uint8Array;
  /** More than one if versions of ffmpeg differ. */
  readonly codes: readonly Outcome[];
}
