import { type AcquireErrorCode, CodedError } from '@chiffchaff/acquire';

/** Why no usable ffmpeg could be found or installed. */
export type DecoderErrorCode =
  | AcquireErrorCode
  /** The program at the given path is missing, too old, or built without the soxr resampler. */
  | 'FFMPEG_UNSUITABLE'
  /** There is no prebuilt ffmpeg for this platform. */
  | 'PLATFORM_UNSUPPORTED'
  /** The downloaded program does not run on this machine. */
  | 'BINARY_UNUSABLE';

/** The message says which step failed, why, and what to do. */
export class DecoderError extends CodedError<DecoderErrorCode> {
  override readonly name = 'DecoderError';
}
