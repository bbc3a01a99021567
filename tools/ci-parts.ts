import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { summarise, summaryOptions } from './summary.ts';
import { RECORD_FILE, readRecords, type TestRecord } from './test-record.ts';

/** A command of continuous integration, ended when its time is up. */
export interface CiPart {
  readonly name: string;
  readonly command: readonly [program: string, ...args: string[]];
  readonly limitSeconds: number;
}

/** Status with which coreutils' `timeout` says that the time was up; 137 if the command had to be killed. */
const TIME_IS_UP = [124, 137];
/** How long a command may take to end itself before it is killed. */
const KILL_AFTER_SECONDS = 30;
const KILL_ROUNDS = 100;
/** Lines of a command's own words that are shown when it failed and recorded no reason. */
const LAST_LINES = 12;

/**
 * Runs a part and resolves with its records. Whatever it started is ended with it, recognised by `folder`, the run's own temporary
 * folder: it is in the environment, the arguments or the working folder of everything that a test starts.
 */
export async function runPart(
  { name, command, limitSeconds }: CiPart,
  folder: string,
  signal: AbortSignal,
): Promise<TestRecord[]> {
  const recordFile = join(folder, `${name.replaceAll(/\W+/g, '-')}.jsonl`);
  const start = performance.now();
  // `timeout` leads a process group of its own, and signals all of it.
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

/** Shows what a command says as it says it; the function returned has its last lines. */
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

/** Kills every process that `folder` gives away, and says which they were. Does nothing where there is no /proc. */
async function endLeftovers(folder: string): Promise<string[]> {
  const left = new Map<number, string>();
  // Again, because one that is killed may have started another just before, and none ends at once.
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
      // One that has ended and was not waited for has no command line.
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
