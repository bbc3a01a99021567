import { CodedError } from '@chiffchaff/acquire';

/** Why the storage of recordings cannot be used. */
export type StorageErrorCode =
  /** It does not respond, or is unavailable at the moment. */
  | 'AWAY'
  /** It refuses requests because of its bucket, access key or permissions. An operator must intervene. */
  | 'REFUSED'
  /** It is full. */
  | 'FULL';

export class StorageError extends CodedError<StorageErrorCode> {
  override readonly name = 'StorageError';
}

export const hasStorageCode = (error: unknown, code: StorageErrorCode): error is StorageError =>
  error instanceof StorageError && error.code === code;
