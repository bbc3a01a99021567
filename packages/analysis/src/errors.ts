import type { ProblemCode, ProblemDetails } from '@chiffchaff/contract';

/** Problem codes that an analysis can end with. */
export type PredictionErrorCode = Extract<ProblemCode, `RECORDING_${string}` | `MODEL_${string}` | `DECODER_${string}`>;

/** Why a recording could not be analysed: a code of the problem catalogue and the details of its sentence. Independent of HTTP. */
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

/** The requested channel does not exist in the recording. */
export class ChannelMissing extends Error {
  override readonly name = 'ChannelMissing';
  /** of the recording */
  readonly channels: number;

  constructor(channels: number) {
    super(`The recording has ${channels} channels`);
    this.channels = channels;
  }
}

/**
 * The analysis process ended before the analysis was done; the recording may not be the cause. `fromOutside`: it was told to end (SIGTERM,
 * SIGINT, SIGHUP).
 */
export class AnalysisInterrupted extends Error {
  override readonly name = 'AnalysisInterrupted';
  readonly fromOutside: boolean;

  constructor(fromOutside: boolean, options?: { cause?: unknown }) {
    super('The analysis was interrupted', options);
    this.fromOutside = fromOutside;
  }
}
