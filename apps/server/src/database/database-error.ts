/** Why stored data cannot be used. The message says what was found and what to do about it. */
export type DatabaseErrorCode =
  /** The file was written by a newer version of the program. */
  | 'SCHEMA_NEWER'
  /** The file is a database, but of another program. */
  | 'FILE_FOREIGN'
  /** The file is no database, or a damaged one. */
  | 'FILE_DAMAGED'
  /** The folder has held a database before, and now there is none. */
  | 'FILE_MISSING'
  /** The same, with an empty file in its place. */
  | 'FILE_EMPTY'
  /** The folder cannot be created or written. */
  | 'FOLDER_NOT_WRITABLE';

export class DatabaseError extends Error {
  override readonly name = 'DatabaseError';
  readonly code: DatabaseErrorCode;

  constructor(code: DatabaseErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
