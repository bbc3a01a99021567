/**
 * What can go wrong between "no model" and "a model folder that can be used".
 *
 * The message says which step failed, why, and what to do; programs branch on `code`. Cancellation stays an `AbortError`, and
 * mistakes of the program stay ordinary errors.
 */
export type ModelErrorCode =
  /** No model of this id can be installed. */
  | 'MODEL_UNKNOWN'
  /** There is no installed model of this id. */
  | 'MODEL_NOT_INSTALLED'
  /** The installed folder does not agree with its manifest. */
  | 'MODEL_DAMAGED'
  /** None of the sources gave the model's files. */
  | 'SOURCE_UNAVAILABLE'
  /** `MODEL_FILE` names something that is not there or is no wheel, zip or folder. */
  | 'SOURCE_UNREADABLE'
  /** A file is not the one that was expected. */
  | 'CHECKSUM_MISMATCH'
  /** A file is no TFLite model, or not built like the one the converter knows. */
  | 'GRAPH_UNEXPECTED'
  /** The model uses an operator the converter does not know. */
  | 'OPERATOR_UNSUPPORTED'
  /** The disk is full. */
  | 'DISK_FULL'
  /** The folder cannot be written. */
  | 'FOLDER_NOT_WRITABLE'
  /** Another process is installing the same model and did not finish in time. */
  | 'INSTALL_IN_PROGRESS';

export type ModelErrorDetails = Readonly<Record<string, string | number | boolean | null>>;

export class ModelError extends Error {
  override readonly name = 'ModelError';
  readonly code: ModelErrorCode;
  readonly details: ModelErrorDetails;

  constructor(code: ModelErrorCode, message: string, details: ModelErrorDetails = {}, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.details = details;
  }
}
