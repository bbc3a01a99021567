import type { ProblemCode, ProblemDetails } from '@chiffchaff/contract';

/** The problems that can stop one recording from being answered. */
export type PredictionErrorCode = Extract<ProblemCode, `RECORDING_${string}` | `MODEL_${string}` | `DECODER_${string}`>;

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

/** A channel was asked for that a recording does not have. */
export class ChannelMissing extends Error {
  override readonly name = 'ChannelMissing';
  /** how many it has */
  readonly channels: number;

  constructor(channels: number) {
    super(`The recording has ${channels} channels`);
    this.channels = channels;
  }
}

/**
 * The program that analysed ended before it was done; the recording is not known to be the reason.
 * `fromOutside`: it was told to end (SIGTERM, SIGINT, SIGHUP).
 */
export class AnalysisInterrupted extends Error {
  override readonly name = 'AnalysisInterrupted';
  readonly fromOutside: boolean;

  constructor(fromOutside: boolean, options?: { cause?: unknown }) {
    super('The analysis was interrupted', options);
    this.fromOutside = fromOutside;
  }
}
