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

/** What went wrong, as part of a sentence; the caller says what was being set up and what to do. */
export class AcquireError extends Error {
  override readonly name = 'AcquireError';
  readonly code: AcquireErrorCode;

  constructor(code: AcquireErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Another try may succeed: an index is slow, a connection breaks. */
export class TransientError extends AcquireError {
  constructor(message: string, options?: ErrorOptions) {
    super('SOURCE_UNAVAILABLE', message, options);
  }
}
