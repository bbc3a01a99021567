import { type AcquireErrorCode, CodedError } from '@chiffchaff/acquire';

/** What can go wrong between "no decoder" and "an ffmpeg that can be used". */
export type DecoderErrorCode =
  | AcquireErrorCode
  /** The program at the given path is not there, is too old, or lacks the good resampler. */
  | 'FFMPEG_UNSUITABLE'
  /** There is no ready-made ffmpeg for this kind of machine. */
  | 'PLATFORM_UNSUPPORTED'
  /** The fetched program does not run here. */
  | 'BINARY_UNUSABLE';

/** The message says which step failed, why, and what to do. */
export class DecoderError extends CodedError<DecoderErrorCode> {
  override readonly name = 'DecoderError';
}
