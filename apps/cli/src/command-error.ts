/** What the shell is told: docs call these input, usage, internal and cancelled. */
export const exitCode = { done: 0, input: 1, usage: 2, internal: 3, cancelled: 130 } as const;
export type ExitCode = (typeof exitCode)[keyof typeof exitCode];

/** Why a command ends without doing what was asked. The message is for the person: what was found, and what works. */
export abstract class CommandError extends Error {
  abstract readonly exitCode: 1 | 2 | 3;
}

/** The command was called in a way it does not know. */
export class UsageError extends CommandError {
  override readonly name = 'UsageError';
  override readonly exitCode = exitCode.usage;
}

/** What the command was told to read cannot be used. */
export class InputError extends CommandError {
  override readonly name = 'InputError';
  override readonly exitCode = exitCode.input;
}

/** Something outside the program stands in the way: nothing installed, a disk full. */
export class SetUpError extends CommandError {
  override readonly name = 'SetUpError';
  override readonly exitCode = exitCode.internal;
}
