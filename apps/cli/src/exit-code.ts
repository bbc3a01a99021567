/** What the shell is told: docs call these input, usage, internal and cancelled. */
export const exitCode = { done: 0, input: 1, usage: 2, internal: 3, cancelled: 130 } as const;
export type ExitCode = (typeof exitCode)[keyof typeof exitCode];
