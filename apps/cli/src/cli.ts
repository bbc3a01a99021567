import type { Command } from '@commander-js/extra-typings';
import { CommandError, type ExitCode, exitCode } from './command-error.ts';
import { createCommand, HelpPage } from './command-line.ts';
import { type Config, readConfig } from './config.ts';
import { evaluateCommand } from './evaluate/options.ts';
import { identifyCommand } from './identify/options.ts';
import { modelCommand } from './model/options.ts';
import { say, type Terminal, writeAll } from './terminal/terminal.ts';

/** What every command is handed. */
export interface CommandContext {
  readonly config: Config;
  readonly terminal: Terminal;
  readonly signal: AbortSignal;
}

/** Runs what a command is to do, once its options have been understood. */
export type Act = (run: (context: CommandContext) => Promise<ExitCode>) => Promise<void>;

/** A command line: its commands are handed the means to act. */
export type Program = (act: Act) => Pick<Command, 'parseAsync' | 'commands'>;

/** What each command runs is loaded when it is called: `--help` should not wait for the runtime of the model. */
export const product: Program = (act) =>
  createCommand('./chiffchaff')
    .description('Tells which birds are heard in recordings.')
    .addCommand(
      identifyCommand((options) =>
        act(async (context) => {
          const [{ identify }, { openAnalyzer }] = await Promise.all([
            import('./identify/identify.ts'),
            import('./open-recogniser.ts'),
          ]);
          return identify(options, { ...context, openAnalyzer: () => openAnalyzer(context.config, context.signal) });
        }),
      ),
    )
    .addCommand(
      evaluateCommand((options) =>
        act(async (context) => (await import('./evaluate/run-evaluate.ts')).runEvaluate(options, context)),
      ),
    )
    .addCommand(
      modelCommand((options) => act(async (context) => (await import('./model/run-model.ts')).runModel(options, context))),
    );

/** What the process hands to a command, before anything of it is read. */
export interface CommandSurroundings {
  readonly env: NodeJS.ProcessEnv;
  readonly workingFolder: string;
  readonly terminal: Terminal;
  readonly signal: AbortSignal;
}

/** How long a cancelled command may take to put things away before the process ends regardless. */
const CANCEL_WITHIN_MS = 400;

/** Runs one command to its end and leaves the process with its exit status. */
export async function runCli(program: Program, process: NodeJS.Process): Promise<void> {
  const terminal: Terminal = { out: process.stdout, err: process.stderr };
  const cancelling = new AbortController();
  const leave = (code: ExitCode) => process.exit(code);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => {
      // npm and the terminal may both pass the same Ctrl-C on, so a second signal is not taken for impatience.
      if (cancelling.signal.aborted) return;
      cancelling.abort();
      setTimeout(() => leave(exitCode.cancelled), CANCEL_WITHIN_MS);
    });
  // Without a listener a closed pipe or a full disk would end the process with a stack trace; the writer learns of it by its callback.
  process.stdout.on('error', () => undefined);
  process.stderr.on('error', () => undefined);

  const code = await runCommand(program, process.argv.slice(2), {
    env: process.env,
    workingFolder: process.cwd(),
    terminal,
    signal: cancelling.signal,
  });
  leave(cancelling.signal.aborted ? exitCode.cancelled : code);
}

/** Runs the command that the arguments name; says on the terminal why, when it does not end well. */
export async function runCommand(
  program: Program,
  args: readonly string[],
  { env, workingFolder, terminal, signal }: CommandSurroundings,
): Promise<ExitCode> {
  let code: ExitCode = exitCode.done;
  try {
    const act: Act = async (run) => {
      code = await run({ config: readConfig(env, workingFolder), terminal, signal });
    };
    await program(act)
      .parseAsync([...args], { from: 'user' })
      .catch(async (error: unknown) => {
        if (!(error instanceof HelpPage)) throw error;
        await writeAll(error.asked ? terminal.out : terminal.err, error.page);
        code = error.asked ? exitCode.done : exitCode.usage;
      });
    return code;
  } catch (error) {
    if (signal.aborted) return exitCode.cancelled;
    if (error instanceof CommandError) {
      say(terminal, error.message);
      return error.exitCode;
    }
    say(terminal, `Something went wrong on our side.\n${stackOf(error)}`);
    return exitCode.internal;
  }
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
