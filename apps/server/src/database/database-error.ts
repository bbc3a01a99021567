/** Why stored data cannot be used. The message says what was found and what to do about it. */
export type DatabaseErrorCode =
  /** It was written by a newer version of the program. */
  | 'SCHEMA_NEWER'
  /** PostgreSQL is older than what the program needs. */
  | 'SERVER_TOO_OLD'
  /** It is a database, but of another program. */
  | 'FILE_FOREIGN'
  /** The file is no database, or a damaged one; or another file of the data folder is damaged. */
  | 'FILE_DAMAGED'
  /** The folder has held a database before, and now there is none. */
  | 'FILE_MISSING'
  /** The same, with an empty file in its place. */
  | 'FILE_EMPTY'
  /** The folder cannot be created or written. */
  | 'FOLDER_NOT_WRITABLE'
  /** Another server has it. */
  | 'FOLDER_IN_USE'
  /** While it was open, the file was removed, moved or replaced. */
  | 'FILE_LOST'
  /** Recordings that the rows name lie elsewhere, or another database's recordings lie here. */
  | 'OTHER_STORAGE'
  /** Another program or request holds a lock. */
  | 'BUSY'
  /** PostgreSQL does not answer: it is away, restarts, refuses the connection, or the network is cut. */
  | 'UNREACHABLE'
  /** The disk is full. */
  | 'DISK_FULL';

export class DatabaseError extends Error {
  override readonly name = 'DatabaseError';
  readonly code: DatabaseErrorCode;

  constructor(code: DatabaseErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

export const folderNotWritable = (cause: unknown): DatabaseError =>
  new DatabaseError('FOLDER_NOT_WRITABLE', 'The data folder (DATA_DIR) is not writable. Check its owner and free space.', {
    cause,
  });

export const schemaNewer = (found: number, known: number): DatabaseError =>
  new DatabaseError(
    'SCHEMA_NEWER',
    `The database was written by a newer version (schema step ${found}; this version knows ${known}). Start the newer version, or restore a backup from before the update.`,
  );

export const hasDatabaseCode = (error: unknown, code: DatabaseErrorCode): error is DatabaseError =>
  error instanceof DatabaseError && error.code === code;
