import { commandLineOf, readCpuSeconds } from '../load/cpu-seconds.ts';

/** Seconds of processor time used by processes and by their child processes that have ended. */
export const readProcessorSeconds = (pids: readonly number[]): number => pids.reduce((sum, pid) => sum + secondsOf(pid), 0);

/** Whether a process is an analysis process. */
export const isAnalysis = (pid: number): boolean => commandLineOf(pid).includes('analysis-program');

/** 0 if the process has ended. */
function secondsOf(pid: number): number {
  try {
    const { mainThread, otherThreads, children } = readCpuSeconds(pid);
    return mainThread + otherThreads + children;
  } catch {
    return 0;
  }
}
