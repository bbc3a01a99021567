import { median } from '../harness/measures.ts';

export interface ClipSpeed {
  readonly workers: number;
  readonly runs: number;
  readonly msPerClip: number;
  readonly timesRealTime: number;
}

/** Measures milliseconds per clip with a number of workers. Loads what it needs and warms it up first. */
export type MeasureClips = (workers: number, clips: number) => Promise<number>;

export async function measureClips(input: {
  readonly measure: MeasureClips;
  readonly clipSeconds: number;
  readonly cores: number;
  readonly runs: number;
  readonly clips: number;
  readonly onProgress: (doing: string) => void;
}): Promise<ClipSpeed[]> {
  const { measure, clipSeconds, cores, runs, clips, onProgress } = input;
  const speeds: ClipSpeed[] = [];
  for (const workers of [...new Set([1, cores])]) {
    const taken: number[] = [];
    for (let run = 0; run < runs; run++) {
      onProgress(`clips, ${workers} workers, run ${run + 1} of ${runs}`);
      taken.push(await measure(workers, clips * workers));
    }
    const msPerClip = median(taken);
    speeds.push({ workers, runs, msPerClip, timesRealTime: (clipSeconds * 1000) / msPerClip });
  }
  return speeds;
}
