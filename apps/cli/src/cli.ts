import { listed } from './arguments.ts';
import { CommandError, UsageError } from './command-error.ts';
import { type Config, readConfig } from './config.ts';
import { type ExitCode, exitCode } from './exit-code.ts';
import { say, type Terminal } from './terminal/terminal.ts';

/** What every command is handed. */
export interface CommandContext {
  readonly config: Config;
  readonly terminal: Terminal;
  readonly signal: AbortSignal;
}

export type Command = (args: readonly string[], context: CommandContext) => Promise<ExitCode>;

/** Commands that share a process: their names, and what is printed when none is named. */
export interface Program {
  /** Loaded when called: `--help` of one command should not wait for the runtime of another. */
  readonly commands: Readonly<Record<string, () => Promise<Command>>>;
  readonly help: string;
}

export const product: Program = {
  commands: {
    identify: async () => (await import('./identify/command.ts')).identifyCommand,
    evaluate: async () => (await import('./evaluate/command.ts')).evaluateCommand,
    model: async () => (await import('./model/command.ts')).modelCommand,
  },
  help: `Tells which birds are heard in recordings.

  ./chiffchaff identify FILE|FOLDER…                     which bird, when, how sure
  ./chiffchaff evaluate --recordings DIR --table TSV     accuracy against a table
  ./chiffchaff model install|inspect|convert|parity      the model, by hand

Each has a page of its own: ./chiffchaff identify --help
`,
};

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
  // Without a analyzer a closed pipe or a full disk would end the process with a stack trace; the writer learns of it by its callback.
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
  { commands, help }: Program,
  [name, ...args]: readonly string[],
  { env, workingFolder, terminal, signal }: CommandSurroundings,
): Promise<ExitCode> {
  try {
    if (name === undefined || name === '--help' || name === '-h') {
      (name === undefined ? terminal.err : terminal.out).write(help);
      return name === undefined ? exitCode.usage : exitCode.done;
    }
    const load = Object.hasOwn(commands, name) ? commands[name] : undefined;
    if (load === undefined) throw new UsageError(`There is no command "${name}"; ${listed(Object.keys(commands))} work.`);
    const config = readConfig(env, workingFolder);
    const command = await load();
    return await command(args, { config, terminal, signal });
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
