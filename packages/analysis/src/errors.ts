import type { ProblemCode, ProblemDetails } from '@chiffchaff/contract';

/** The problems that can stop one recording from being answered. */
export type PredictionErrorCode = Extract<ProblemCode, `RECORDING_${string}` | 'MODEL_NOT_INSTALLED' | `DECODER_${string}`>;

/** Why a recording got no answer: a code of the catalogue with the details that its sentence needs. It knows no HTTP. */
export class PredictionError<Code extends PredictionErrorCode = PredictionErrorCode> extends Error {
  override readonly name = 'PredictionError';
  readonly code: Code;
  readonly details: ProblemDetails[Code];

  constructor(code: Code, details: ProblemDetails[Code], options?: { cause?: unknown }) {
    super(code, options);
    this.code = code;
    this.details = details;
  }
}
