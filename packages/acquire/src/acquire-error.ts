export type AcquireErrorCode =
  /** No source provided the file. */
  | 'SOURCE_UNAVAILABLE'
  /** A file is not a zip archive or lacks a member. */
  | 'SOURCE_UNREADABLE'
  /** A file differs from the published one. */
  | 'CHECKSUM_MISMATCH'
  | 'DISK_FULL'
  | 'FOLDER_NOT_WRITABLE'
  /** Another process holds the lock and did not finish in time. */
  | 'INSTALL_IN_PROGRESS';

/** An error with a message for people and a code for programs. */
export abstract class CodedError<Code extends string> extends Error {
  readonly code: Code;

  constructor(code: Code, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** The code of an error of the system or a library, such as `ENOENT`; empty for any other. */
export const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : '');

/**
 * Whether a write failed because the disk, or its quota, is full; the system and SQLite have codes of their own for it.
 * `SQLITE_IOERR_SHMSIZE`: no space for the index of the write-ahead log.
 */
export const isDiskFull = (error: unknown): boolean =>
  ['ENOSPC', 'EDQUOT', 'SQLITE_FULL', 'SQLITE_IOERR_SHMSIZE'].includes(codeOf(error));

/** The message is part of a sentence; the caller adds what was being set up and what to do. */
export class AcquireError extends CodedError<AcquireErrorCode> {
  override readonly name = 'AcquireError';
}

/** A retry may succeed: an index was slow, or a connection broke. */
export class TransientError extends AcquireError {
  constructor(message: string, options?: ErrorOptions) {
    super('SOURCE_UNAVAILABLE', message, options);
  }
}
