export type AcquireErrorCode =
  /** No source gave the file. */
  | 'SOURCE_UNAVAILABLE'
  /** A file is no zip archive or lacks a member. */
  | 'SOURCE_UNREADABLE'
  /** A file is not the published one. */
  | 'CHECKSUM_MISMATCH'
  | 'DISK_FULL'
  | 'FOLDER_NOT_WRITABLE'
  /** Another process holds the lock and did not finish in time. */
  | 'INSTALL_IN_PROGRESS';

/** An error whose message is for people and whose code is what programs branch on. */
export abstract class CodedError<Code extends string> extends Error {
  readonly code: Code;

  constructor(code: Code, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** What went wrong, as part of a sentence; the caller says what was being set up and what to do. */
export class AcquireError extends CodedError<AcquireErrorCode> {
  override readonly name = 'AcquireError';
}

/** Another try may succeed: an index is slow, a connection breaks. */
export class TransientError extends AcquireError {
  constructor(message: string, options?: ErrorOptions) {
    super('SOURCE_UNAVAILABLE', message, options);
  }
}
