import { ignoreOutputErrors } from '@chiffchaff/analysis/program-output';
import { explainFull } from './database/database-error.ts';

export const EXIT_FAULTS = 1;
export const EXIT_USAGE = 2;

/** By name: importing `ConfigError` would load the table of all settings, for which `--help` need not wait. */
const EXPLAINED: ReadonlySet<string> = new Set([
  'AdminError',
  'ConfigError',
  'DatabaseError',
  'ListenError',
  'MoveError',
  'StorageError',
]);

/** The sentence for an error that an operator can do something about; null for an unexpected one. */
export function sentenceFor(thrown: unknown): string | null {
  const error = explainFull(thrown);
  return error instanceof Error && EXPLAINED.has(error.name) ? error.message : null;
}

/** Runs an operator's command, which returns its exit status; prints the sentence for a failure. */
export async function runCommand(command: () => Promise<number>): Promise<void> {
  ignoreOutputErrors();
  try {
    process.exitCode = await command();
  } catch (error) {
    const sentence = sentenceFor(error);
    if (sentence === null) throw error;
    process.stderr.write(`${sentence}\n`);
    process.exitCode = error instanceof Error && error.name === 'ConfigError' ? EXIT_USAGE : EXIT_FAULTS;
  }
}
