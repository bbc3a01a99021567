import { commandLineOf, readCpuSeconds } from '../load/cpu-seconds.ts';

/** Seconds of processor time used by processes and by their child processes that have ended. */
export function readProcessorSeconds(pids: readonly number[]): number {
  return pids.map(secondsOf).reduce((sum, seconds) => sum + seconds, 0);
}

/** Whether a process is an analysis process. */
export const isAnalysis = (pid: number): boolean => commandLineOf(pid).includes('analysis-program');

/** Like `readProcessorSeconds`, of analysis processes with their decoders only. */
export const readAnalysisSeconds = (pids: readonly number[]): number => readProcessorSeconds(pids.filter(isAnalysis));

/** 0 if the process has ended. */
function secondsOf(pid: number): number {
  try {
    const { mainThread, otherThreads, children } = readCpuSeconds(pid);
    return mainThread + otherThreads + children;
  } catch {
    return 0;
  }
}
