import { type CommandContext, type ExitCode, exitCode, say, writeAll } from '@chiffchaff/cli';
import type { Trial } from './options.ts';

/** Runs a trial and prints its report. */
export async function runTrial(trial: Trial, { terminal }: CommandContext): Promise<ExitCode> {
  const { report, passed } = await trial((line) => say(terminal, line));
  if (report !== undefined) await writeAll(terminal.out, `${JSON.stringify(report, null, 2)}\n`);
  return passed ? exitCode.done : exitCode.input;
}
