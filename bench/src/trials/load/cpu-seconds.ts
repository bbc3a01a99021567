import { readdirSync, readFileSync } from 'node:fs';

/** Seconds of processor time, by who has spent them. */
export interface CpuSeconds {
  readonly mainThread: number;
  /** All other threads of the process: workers, file and compression threads, garbage collection. */
  readonly otherThreads: number;
  /** Processes that it has started and that have ended. */
  readonly children: number;
}

/** Clock ticks a second, as Linux shows them to programs. */
const TICKS = 100;

/** @returns null where the system does not tell (it is Linux that does) */
export function readCpuSeconds(pid: number): CpuSeconds | null {
  if (process.platform !== 'linux') return null;
  const whole = readStat(`/proc/${pid}/stat`);
  let mainThread = 0;
  let otherThreads = 0;
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const { own } = readStat(`/proc/${pid}/task/${thread}/stat`);
    if (Number(thread) === pid) mainThread += own;
    else otherThreads += own;
  }
  return { mainThread, otherThreads, children: whole.children };
}

/** @returns how many cores each has kept busy */
export function coresBetween(before: CpuSeconds, after: CpuSeconds, seconds: number): CpuSeconds {
  const cores = (part: keyof CpuSeconds): number => Math.round((100 * (after[part] - before[part])) / seconds) / 100;
  return { mainThread: cores('mainThread'), otherThreads: cores('otherThreads'), children: cores('children') };
}

function readStat(path: string): { own: number; children: number } {
  const text = readFileSync(path, 'utf8');
  // The second field is a name in brackets, which may hold anything; the others are numbers.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const ticks = (from: number): number => (Number(fields[from]) + Number(fields[from + 1])) / TICKS;
  return { own: ticks(11), children: ticks(13) };
}
