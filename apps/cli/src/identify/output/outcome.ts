import type { Prediction } from '@chiffchaff/contract';
import type { Circumstances } from '@chiffchaff/survey';

/** The result for one recording: an answer, or why there is none. */
export type Outcome =
  | {
      readonly kind: 'answered';
      readonly shownAs: string;
      readonly path: string;
      readonly prediction: Prediction;
      readonly circumstances: Circumstances;
    }
  | { readonly kind: 'failed'; readonly shownAs: string; readonly code: string; readonly message: string };

/** Turns outcomes into text one at a time, so that each can be written immediately. */
export interface OutputFormat {
  /** written before the first outcome */
  readonly head?: string;
  readonly one: (outcome: Outcome) => string;
  /** written after the last one */
  readonly foot?: (attribution: string) => string;
}
