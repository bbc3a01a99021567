import type { PredictionErrorCode } from '../errors.ts';

/** What becomes of a recording: the code of a problem, or an answer. */
export type Outcome = PredictionErrorCode | 'answered';

/** A file that is sent by mistake or to hurt, and what may become of it. */
export interface OddRecording {
  /** What it is; a fact in a test's title. */
  readonly what: string;
  readonly fileName: string;
  readonly bytes: () => Uint8Array;
  /** More than one where versions of ffmpeg differ. */
  readonly codes: readonly Outcome[];
}
