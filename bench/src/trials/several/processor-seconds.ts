import { commandLineOf, readCpuSeconds } from '../load/cpu-seconds.ts';

/** Seconds of processor time that processes, and what they have started and waited for, have spent. */
export function readProcessorSeconds(pids: readonly number[]): number {
  return pids.map(secondsOf).reduce((sum, seconds) => sum + seconds, 0);
}

/** Of those that analyse: the analysis process with its decoders. */
export const readAnalysisSeconds = (pids: readonly number[]): number =>
  readProcessorSeconds(pids.filter((pid) => commandLineOf(pid).includes('analysis-program')));

/** 0 for a process that has ended meanwhile. */
function secondsOf(pid: number): number {
  try {
    const { mainThread, otherThreads, children } = readCpuSeconds(pid);
    return mainThread + otherThreads + children;
  } catch {
    return 0;
  }
}
