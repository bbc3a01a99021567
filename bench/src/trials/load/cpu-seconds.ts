import { readdirSync, readFileSync } from 'node:fs';

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

export function readCpuSeconds(pid: number): CpuSeconds {
  const threads = readdirSync(`/proc/${pid}/task`).map((thread) => ({ thread, ...readStat(`/proc/${pid}/task/${thread}/stat`) }));
  const sum = (isMain: boolean): number =>
    threads.filter(({ thread }) => (Number(thread) === pid) === isMain).reduce((total, { own }) => total + own, 0);
  return { mainThread: sum(true), otherThreads: sum(false), children: readStat(`/proc/${pid}/stat`).children };
}

/** Seconds used by processes and by their child processes that have ended. A process that has ended counts as 0. */
export const readProcessorSeconds = (pids: readonly number[]): number => pids.reduce((sum, pid) => sum + secondsOf(pid), 0);

function secondsOf(pid: number): number {
  try {
    const { own, children } = readStat(`/proc/${pid}/stat`);
    return own + children;
  } catch {
    return 0;
  }
}

function readStat(path: string): { own: number; children: number } {
  const text = readFileSync(path, 'utf8');
  // The second field is a name in parentheses, which may contain anything; all fields after the third are numbers.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const ticks = (from: number): number => (Number(fields[from]) + Number(fields[from + 1])) / TICKS;
  return { own: ticks(11), children: ticks(13) };
}
