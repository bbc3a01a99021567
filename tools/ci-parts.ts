import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { summarise, summaryOptions } from './summary.ts';
import { RECORD_FILE, readRecords, type TestRecord } from './test-record.ts';

/** A command of continuous integration, with a time limit. */
export interface CiPart {
  readonly name: string;
  readonly command: readonly [program: string, ...args: string[]];
  readonly limitSeconds: number;
}

/** Exit statuses of coreutils' `timeout` when the time is up; 137 if it had to kill the command. */
const TIME_IS_UP = [124, 137];
/** How long a command has to end after SIGTERM before it is killed. */
const KILL_AFTER_SECONDS = 30;
const KILL_ROUNDS = 100;
/** Lines of output to show for a command that failed without recording a reason. */
const LAST_LINES = 12;

/**
 * Runs a part and resolves with its records. Kills whatever it left running, recognised by `folder`, the run's own temporary folder:
 * everything that a test starts has it in its environment, arguments or working folder.
 */
export async function runPart(
  { name, command, limitSeconds }: CiPart,
  folder: string,
  signal: AbortSignal,
): Promise<TestRecord[]> {
  const recordFile = join(folder, `${name.replaceAll(/\W+/g, '-')}.jsonl`);
  const start = performance.now();
  // `timeout` leads its own process group and signals all of it.
  const child = spawn('timeout', ['-k', `${KILL_AFTER_SECONDS}`, `${limitSeconds}`, ...command], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, TMPDIR: folder, [RECORD_FILE]: recordFile },
  });
  const stop = () => child.kill('SIGTERM');
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  const tail = passOn(child);
  const status = await new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 137));
  });
  signal.removeEventListener('abort', stop);
  const left = await endLeftovers(folder);
  const records = readRecords(recordFile);
  const seconds = Math.round((performance.now() - start) / 1000);
  const failure = (reason: string): TestRecord => ({ kind: 'result', file: '', test: name, state: 'failed', reason });
  const timeIsUp = TIME_IS_UP.includes(status) && !signal.aborted;
  const explained = summarise(records, summaryOptions()).failed > 0;
  return [
    ...records,
    ...(timeIsUp ? [failure(`its time was up after ${limitSeconds} s`)] : []),
    ...(status !== 0 && !timeIsUp && !explained ? [failure([`it ended with status ${status}:`, ...tail()].join('\n    '))] : []),
    ...left.map((line): TestRecord => ({ kind: 'leftover', line })),
    { kind: 'part', name: `${name} as a whole`, seconds },
  ];
}

/** Passes on a command's output as it is printed; returns a function that returns the last lines. */
function passOn(child: ChildProcess): () => string[] {
  let last = '';
  for (const [from, to] of [
    [child.stdout, process.stdout],
    [child.stderr, process.stderr],
  ] as const)
    from?.on('data', (chunk: Buffer) => {
      to.write(chunk);
      last = `${last}${chunk.toString()}`.slice(-8000);
    });
  return () => last.trimEnd().split('\n').slice(-LAST_LINES);
}

/** Kills every process that refers to `folder` and returns their ids and command lines. Does nothing without /proc. */
async function endLeftovers(folder: string): Promise<string[]> {
  const left = new Map<number, string>();
  // Repeated, because a killed process may have just started another, and none ends immediately.
  for (let round = 0; round < KILL_ROUNDS; round += 1) {
    const found = findProcesses(folder);
    if (found.length === 0) break;
    for (const { pid, line } of found) {
      left.set(pid, `${pid} ${line}`);
      kill(pid);
    }
    await delay(20);
  }
  return [...left.values()];
}

function findProcesses(folder: string): { pid: number; line: string }[] {
  if (!existsSync('/proc')) return [];
  return readdirSync('/proc').flatMap((name) => {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid === process.pid) return [];
    try {
      const [environment, line] = [readFileSync(`/proc/${pid}/environ`, 'utf8'), readFileSync(`/proc/${pid}/cmdline`, 'utf8')];
      // A zombie has an empty command line.
      const isOurs = line !== '' && [environment, line, readlinkSync(`/proc/${pid}/cwd`)].some((text) => text.includes(folder));
      return isOurs ? [{ pid, line: line.replaceAll('\0', ' ').trim().slice(0, 160) }] : [];
    } catch {
      // It ended meanwhile, or belongs to another user.
      return [];
    }
  });
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended meanwhile.
  }
}
