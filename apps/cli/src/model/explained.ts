import { ModelError, type ModelErrorCode } from '@chiffchaff/models';
import { type CommandError, InputError, SetUpError, UsageError } from '../command-error.ts';

/** What a person is told is in the error's message; the exit status depends on whose turn it is. */
const kinds: Readonly<Record<ModelErrorCode, new (message: string, options: ErrorOptions) => CommandError>> = {
  MODEL_UNKNOWN: UsageError,
  MODEL_NOT_INSTALLED: SetUpError,
  MODEL_DAMAGED: SetUpError,
  SOURCE_UNAVAILABLE: SetUpError,
  SOURCE_UNREADABLE: InputError,
  CHECKSUM_MISMATCH: InputError,
  GRAPH_UNEXPECTED: InputError,
  DISK_FULL: SetUpError,
  FOLDER_NOT_WRITABLE: SetUpError,
  INSTALL_IN_PROGRESS: SetUpError,
};

/** Runs what may fail for a reason of the model, and throws that reason as one that the command line can tell. */
export async function explained<Result>(run: () => Promise<Result>): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    throw new kinds[error.code](error.message, { cause: error });
  }
}
