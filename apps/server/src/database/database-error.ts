import { CodedError, isDiskFull } from '@chiffchaff/acquire';

/** Why stored data cannot be used. The message says what was found and what to do about it. */
export type DatabaseErrorCode =
  /** It was written by a newer version of the program. */
  | 'SCHEMA_NEWER'
  /** PostgreSQL is older than the program requires. */
  | 'SERVER_TOO_OLD'
  /** The database belongs to another program. */
  | 'FILE_FOREIGN'
  /** The file is not a database or is damaged, or another file of the data folder is damaged. */
  | 'FILE_DAMAGED'
  /** The folder has been in use, but its database file is missing. */
  | 'FILE_MISSING'
  /** The folder has been in use, but its database file is empty. */
  | 'FILE_EMPTY'
  /** The folder cannot be created or written. */
  | 'FOLDER_NOT_WRITABLE'
  /** Another server uses the folder. */
  | 'FOLDER_IN_USE'
  /** The file was removed, moved or replaced while it was open. */
  | 'FILE_LOST'
  /** The storage lacks the recordings of this database, or has those of another one. */
  | 'OTHER_STORAGE'
  /** Other machines of this database use another model. */
  | 'OTHER_MODEL'
  /** Another program or request holds a lock. */
  | 'BUSY'
  /** PostgreSQL does not respond: it is down, restarts or refuses the connection, or the network is cut. */
  | 'UNREACHABLE'
  /** The disk is full. */
  | 'DISK_FULL';

export class DatabaseError extends CodedError<DatabaseErrorCode> {
  override readonly name = 'DatabaseError';
}

export const folderNotWritable = (cause: unknown): DatabaseError =>
  new DatabaseError(
    'FOLDER_NOT_WRITABLE',
    'The data folder (DATA_DIR) is not writable. Check its path, its owner and free space.',
    {
      cause,
    },
  );

/** Converts the error of a full disk to a DatabaseError; returns other errors unchanged. @param content what is on the disk */
export const explainFull = (error: unknown, content = 'the data folder (DATA_DIR)'): unknown =>
  isDiskFull(error)
    ? new DatabaseError('DISK_FULL', `The disk with ${content} is full. Free some space or enlarge the disk.`, { cause: error })
    : error;

export const schemaNewer = (found: number, known: number): DatabaseError =>
  new DatabaseError(
    'SCHEMA_NEWER',
    `The database was written by a newer version (schema step ${found}; this version knows ${known}). Start the newer version, or restore a backup from before the update.`,
  );

export const hasDatabaseCode = (error: unknown, code: DatabaseErrorCode): error is DatabaseError =>
  error instanceof DatabaseError && error.code === code;
