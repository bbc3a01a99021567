import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';

export interface CliRun {
  /** as a shell reports it: 130 for a process that Ctrl-C has ended */
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** For tests: starts the command line as a shell does. */
export function startCli(
  args: readonly string[],
  {
    cwd = process.cwd(),
    env = {},
    main = join(import.meta.dirname, '../main.ts'),
  }: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv; readonly main?: string } = {},
): { readonly child: ChildProcess; readonly ended: Promise<CliRun> } {
  const { INIT_CWD: _, ...inherited } = process.env;
  const child = spawn(process.execPath, [main, ...args], {
    cwd,
    env: { ...inherited, ...env },
  });
  let out = '';
  let err = '';
  child.stdout.on('data', (piece) => {
    out += String(piece);
  });
  child.stderr.on('data', (piece) => {
    err += String(piece);
  });
  const ended = new Promise<CliRun>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ code: signal === 'SIGINT' ? 130 : code, out, err }));
  });
  return { child, ended };
}
