import type { Prediction, TableOptions } from '@chiffchaff/contract';
import type { Circumstances } from '@chiffchaff/survey';

/** What became of one recording: an answer, or the reason why there is none. */
export type Outcome =
  | {
      readonly kind: 'answered';
      readonly shownAs: string;
      readonly path: string;
      readonly prediction: Prediction;
      readonly circumstances: Circumstances;
    }
  | { readonly kind: 'failed'; readonly shownAs: string; readonly code: string; readonly message: string };

/** Turns outcomes into text, one after the other, so that each can be written as it comes. */
export interface OutputFormat {
  /** written before the first outcome */
  readonly head?: string;
  readonly one: (outcome: Outcome) => string;
  /** written after the last one */
  readonly foot?: (attribution: string) => string;
}

export interface OutputFormatInput {
  readonly severalRecordings: boolean;
  readonly tables: TableOptions;
}
