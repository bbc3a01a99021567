import { ignoreOutputErrors } from '@chiffchaff/analysis/program-output';
import { programVersion, versionInWords } from '@chiffchaff/analysis/program-version';
import type { Command } from '@commander-js/extra-typings';
import type { CommandContext } from './command-context.ts';
import { CommandError, type ExitCode, exitCode, UsageError } from './command-error.ts';
import { createCommand, HelpPage } from './command-line.ts';
import { readConfig } from './config.ts';
import { exportCommand } from './export/options.ts';
import { identifyCommand } from './identify/options.ts';
import { modelCommand } from './model/options.ts';
import { reviewCommand } from './review/options.ts';
import { segmentsCommand } from './segments/options.ts';
import { summariseCommand } from './summarise/options.ts';
import { say, type Terminal, writeAll } from './terminal/terminal.ts';
import { thresholdsCommand } from './thresholds/options.ts';

/** Runs a command's action once its options have been parsed. */
export type Act = (run: (context: CommandContext) => Promise<ExitCode>) => Promise<void>;

/** A command line, built with the function that runs its commands' actions. */
export type Program = (act: Act) => Pick<Command, 'parseAsync' | 'commands'>;

/** Only listed here: `tools/run.mjs` hands `admin` to the server's own program. */
const adminCommand = createCommand('admin')
  .summary('Manages a server; ./chiffchaff admin --help lists its commands.')
  .description('Manages a server. ./chiffchaff admin --help lists its commands; docs/admin.md has their help pages.')
  .usage('COMMAND')
  .argument('[COMMAND...]')
  .allowUnknownOption()
  .action(() => {
    throw new UsageError('Run ./chiffchaff admin COMMAND, or node apps/server/src/admin/main.ts COMMAND.');
  });

/** Loads a command's implementation only when it runs, so that `--help` does not wait for the model's runtime. */
export const product: Program = (act) =>
  createCommand('./chiffchaff')
    .description('Identifies the birds in recordings. ./chiffchaff COMMAND --help explains a command.')
    .version(versionInWords(programVersion), '--version', 'show the version and the commit')
    .addCommand(
      identifyCommand((options) =>
        act(async (context) => {
          const [{ identify }, { openInstalledAnalyzer }] = await Promise.all([
            import('./identify/identify.ts'),
            import('./open-recognizer.ts'),
          ]);
          return identify(options, { ...context, openAnalyzer: () => openInstalledAnalyzer(context.config, context.signal) });
        }),
      ),
    )
    .addCommand(
      segmentsCommand((options) =>
        act(async (context) => {
          const [{ runSegments }, { findFfmpeg }] = await Promise.all([
            import('./segments/run-segments.ts'),
            import('./open-recognizer.ts'),
          ]);
          return runSegments(options, { ...context, findFfmpeg: () => findFfmpeg(context.config, context.signal) });
        }),
      ),
    )
    .addCommand(
      summariseCommand((options) =>
        act(async (context) => (await import('./summarise/run-summarise.ts')).runSummarise(options, context)),
      ),
    )
    .addCommand(
      reviewCommand((options) =>
        act(async (context) => {
          const [{ runReview }, { findFfmpeg }, { openSpeciesFinder }] = await Promise.all([
            import('./review/run-review.ts'),
            import('./open-recognizer.ts'),
            import('./species-names.ts'),
          ]);
          const { config, signal } = context;
          const openSpecies = () => openSpeciesFinder(config);
          return runReview(options, { ...context, openSpecies, findFfmpeg: () => findFfmpeg(config, signal) });
        }),
      ),
    )
    .addCommand(
      thresholdsCommand((options) =>
        act(async (context) => (await import('./thresholds/run-thresholds.ts')).runThresholds(options, context)),
      ),
    )
    .addCommand(
      exportCommand((options) => act(async (context) => (await import('./export/run-export.ts')).runExport(options, context))),
    )
    .addCommand(
      modelCommand((options) => act(async (context) => (await import('./model/run-model.ts')).runModel(options, context))),
    )
    .addCommand(adminCommand);

/** What the process passes to a command, not yet parsed. */
export interface CommandSurroundings {
  readonly env: NodeJS.ProcessEnv;
  readonly workingFolder: string;
  readonly terminal: Terminal;
  readonly signal: AbortSignal;
}

/** How long a cancelled command may take to clean up before the process ends regardless. */
const CANCEL_WITHIN_MS = 400;

/** Runs one command and exits the process with its exit status. */
export async function runCli(program: Program, process: NodeJS.Process): Promise<void> {
  const terminal: Terminal = { out: process.stdout, err: process.stderr };
  const cancelling = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => {
      // npm and the terminal may both forward the same Ctrl-C, so a second signal does not force an exit.
      if (cancelling.signal.aborted) return;
      cancelling.abort();
      setTimeout(() => {
        say(terminal, 'Stopped.');
        // Not `exit`: that ends threads that load or run the model, and ONNX Runtime then aborts the process. Shells report this signal as 130.
        process.removeAllListeners('SIGINT');
        process.kill(process.pid, 'SIGINT');
      }, CANCEL_WITHIN_MS);
    });
  ignoreOutputErrors();

  const code = await runCommand(program, process.argv.slice(2), {
    env: process.env,
    workingFolder: process.cwd(),
    terminal,
    signal: cancelling.signal,
  });
  process.exit(cancelling.signal.aborted ? exitCode.cancelled : code);
}

/** Runs the command that the arguments name; prints the reason for a failure on the terminal. */
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
    if (signal.aborted) {
      say(terminal, 'Stopped.');
      return exitCode.cancelled;
    }
    if (error instanceof CommandError) {
      say(terminal, error.message);
      return error.exitCode;
    }
    say(terminal, `Internal error.\n${stackOf(error)}`);
    return exitCode.internal;
  }
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
