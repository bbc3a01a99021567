import { readdirSync, readFileSync } from 'node:fs';
import { readProcessTree } from '../../harness/process-tree.ts';

/** Seconds of processor time, by who has used them. */
export interface CpuSeconds {
  readonly mainThread: number;
  /** All other threads of the process: workers, file and compression threads, garbage collection. */
  readonly otherThreads: number;
  /** Child processes that have ended. */
  readonly children: number;
}

/** Clock ticks a second in /proc (`USER_HZ`). */
const TICKS = 100;

/** The two processes of a server. */
export interface ServerCpuSeconds {
  readonly web: CpuSeconds;
  readonly analysis: CpuSeconds;
}

/** @returns null on systems other than Linux, and while there is no analysis process */
export function readServerCpuSeconds(webPid: number): ServerCpuSeconds | null {
  if (process.platform !== 'linux') return null;
  const analysisPid = readProcessTree(webPid).find((pid) => commandLineOf(pid).includes('analysis-program'));
  return analysisPid === undefined ? null : { web: readCpuSeconds(webPid), analysis: readCpuSeconds(analysisPid) };
}

/** Empty if the process has ended. */
export function commandLineOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1');
  } catch {
    return '';
  }
}

export function readCpuSeconds(pid: number): CpuSeconds {
  let mainThread = 0;
  let otherThreads = 0;
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const { own } = readStat(`/proc/${pid}/task/${thread}/stat`);
    if (Number(thread) === pid) mainThread += own;
    else otherThreads += own;
  }
  return { mainThread, otherThreads, children: readStat(`/proc/${pid}/stat`).children };
}

/** @returns how many cores each has kept busy */
export function coresBetween(before: CpuSeconds, after: CpuSeconds, seconds: number): CpuSeconds {
  const cores = (part: keyof CpuSeconds): number => Math.round((100 * (after[part] - before[part])) / seconds) / 100;
  return { mainThread: cores('mainThread'), otherThreads: cores('otherThreads'), children: cores('children') };
}

function readStat(path: string): { own: number; children: number } {
  const text = readFileSync(path, 'utf8');
  // The second field is a name in parentheses, which may contain anything; all fields after the third are numbers.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const ticks = (from: number): number => (Number(fields[from]) + Number(fields[from + 1])) / TICKS;
  return { own: ticks(11), children: ticks(13) };
}
