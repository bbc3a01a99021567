import { AcquireError, type AcquireErrorCode, CodedError } from '@chiffchaff/acquire';

/** Errors of obtaining, converting, installing and reading a model. */
export type ModelErrorCode =
  | AcquireErrorCode
  /** No model of this id can be installed. */
  | 'MODEL_UNKNOWN'
  /** There is no installed model of this id. */
  | 'MODEL_NOT_INSTALLED'
  /** The installed folder does not match its manifest. */
  | 'MODEL_DAMAGED'
  /** A file is not a TFLite model, or not built like the one that the converter knows. */
  | 'GRAPH_UNEXPECTED';

/** The message says which step failed, why, and what to do. */
export class ModelError extends CodedError<ModelErrorCode> {
  override readonly name = 'ModelError';
}

const steps: Readonly<Record<AcquireErrorCode, readonly [step: string, remedy: string]>> = {
  SOURCE_UNAVAILABLE: [
    'Downloading the model',
    'Connect this machine to the internet and try again, or set MODEL_FILE to a file with the model',
  ],
  SOURCE_UNREADABLE: ["Reading the model's files", 'Use the complete, unchanged file'],
  CHECKSUM_MISMATCH: ["Checking the model's files", 'It was not used. Download it again, or let set-up download it'],
  DISK_FULL: ['Writing the model', 'Free about 300 MB, or set DATA_DIR to another disk, and try again'],
  FOLDER_NOT_WRITABLE: ['Writing the model', 'Give this user write access, or set DATA_DIR to another folder'],
  INSTALL_IN_PROGRESS: ['Installing the model', 'Wait for it to finish and try again'],
};

/** Turns an AcquireError into a ModelError with a sentence about the model; any other error stays as it is. */
export function asModelError(error: unknown): unknown {
  if (!(error instanceof AcquireError)) return error;
  const [step, remedy] = steps[error.code];
  return new ModelError(error.code, `${step}: ${error.message}. ${remedy}.`, { cause: error });
}
