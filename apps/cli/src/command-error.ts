/** Exit statuses; the docs call the nonzero ones input, usage, internal and cancelled. */
export const exitCode = { done: 0, input: 1, usage: 2, internal: 3, cancelled: 130 } as const;
export type ExitCode = (typeof exitCode)[keyof typeof exitCode];

/** Why a command failed. The message is for the user: what was found, and what works. */
export abstract class CommandError extends Error {
  abstract readonly exitCode: 1 | 2 | 3;
}

/** The arguments are invalid. */
export class UsageError extends CommandError {
  override readonly name = 'UsageError';
  override readonly exitCode = exitCode.usage;
}

/** The command's input cannot be used. */
export class InputError extends CommandError {
  override readonly name = 'InputError';
  override readonly exitCode = exitCode.input;
}

/** Something outside the program is in the way: the model or ffmpeg is not installed, the disk is full. */
export class SetUpError extends CommandError {
  override readonly name = 'SetUpError';
  override readonly exitCode = exitCode.internal;
}
