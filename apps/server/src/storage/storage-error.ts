/** Why the storage of recordings cannot be used. */
export type StorageErrorCode =
  /** It does not answer, or says that it cannot right now. */
  | 'AWAY'
  /** It answers, and refuses: its bucket, its access key, its rights. An operator has to see to it. */
  | 'REFUSED'
  /** It has no room left. */
  | 'FULL';

export class StorageError extends Error {
  override readonly name = 'StorageError';
  readonly code: StorageErrorCode;

  constructor(code: StorageErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

export const hasStorageCode = (error: unknown, code: StorageErrorCode): error is StorageError =>
  error instanceof StorageError && error.code === code;
