import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { SetUpError } from '@chiffchaff/cli';

/** A child process that answers line by line on its standard output, until it is stopped. */
export interface ChildProgram {
  readonly pid: number;
  readonly send: (line: string) => void;
  /** @throws SetUpError when it ends without printing another line */
  readonly nextLine: () => Promise<string>;
  /** Resolves with its exit status; null if it was killed or could not start. */
  readonly ended: Promise<number | null>;
  readonly stop: () => Promise<void>;
}

export function startProgram(
  program: string,
  args: readonly string[],
  { env, signal }: { readonly env?: NodeJS.ProcessEnv; readonly signal: AbortSignal },
): ChildProgram {
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'], ...(env === undefined ? {} : { env }) });
  let complaints = '';
  child.stderr.on('data', (piece) => {
    complaints = (complaints + String(piece)).slice(-2000);
  });
  child.stdin.on('error', () => undefined);
  const ended = new Promise<number | null>((resolve) => {
    child.on('error', () => resolve(null));
    child.on('close', (code) => resolve(code));
  });
  const stopNow = () => child.kill('SIGKILL');
  signal.addEventListener('abort', stopNow);
  void ended.then(() => signal.removeEventListener('abort', stopNow));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    pid: child.pid ?? -1,
    send: (line) => child.stdin.write(`${line}\n`),
    nextLine: async () => {
      const { done, value } = await lines.next();
      if (done) throw new SetUpError(`${program} ended too early. ${complaints.trim()}`);
      return value;
    },
    ended,
    stop: () => stopGently(child, ended),
  };
}

/** A program that does not end within this time after SIGTERM is killed. */
const STOP_WITHIN_MS = 5000;

async function stopGently(child: ChildProcess, ended: Promise<number | null>): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  child.stdin?.end();
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_WITHIN_MS);
  await ended;
  clearTimeout(timer);
}
