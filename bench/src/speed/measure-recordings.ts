import type { Analyzer } from '@chiffchaff/analysis';
import { median } from '../harness/measures.ts';
import { type MadeFormat, type MakeOptions, makeRecording } from './made-recordings.ts';
import type { MeasureClips } from './measure-clips.ts';

export interface RecordingSpeed {
  readonly recording: string;
  readonly seconds: number;
  readonly runs: number;
  readonly medianSeconds: number;
  readonly timesRealTime: number;
  /** time that the model alone takes for as many clips in the same runs, as a share of the total, 0…1 */
  readonly inferenceShare: number;
}

const KINDS: readonly { format: MadeFormat; sampleRate: number }[] = [
  { format: 'wav', sampleRate: 48_000 },
  { format: 'wav', sampleRate: 44_100 },
  { format: 'mp3', sampleRate: 44_100 },
];

/**
 * Measures from file to prediction, without overlap, with all workers. Alternates between the recordings and the model alone, so that a
 * slow minute affects all of them.
 */
export async function measureRecordings(input: {
  readonly analyzer: Analyzer;
  readonly measureClips: MeasureClips;
  readonly workers: number;
  readonly clipSeconds: number;
  readonly make: MakeOptions;
  readonly seconds: number;
  readonly runs: number;
  readonly onProgress: (doing: string) => void;
}): Promise<RecordingSpeed[]> {
  const { analyzer, measureClips, workers, clipSeconds, make, seconds, runs, onProgress } = input;
  const clips = Math.round(seconds / clipSeconds);
  const inference: number[] = [];
  const made: { name: string; path: string; taken: number[] }[] = [];
  for (const { format, sampleRate } of KINDS) {
    const name = `${format.toUpperCase()} ${sampleRate / 1000} kHz`;
    onProgress(`making ${name}`);
    made.push({ name, path: await makeRecording({ seconds, sampleRate, format }, make), taken: [] });
  }
  for (let run = 0; run < runs; run++) {
    onProgress(`${clips} clips, run ${run + 1} of ${runs}`);
    inference.push(((await measureClips(workers, clips)) * clips) / 1000);
    for (const { name, path, taken } of made) {
      onProgress(`${name}, run ${run + 1} of ${runs}`);
      const startMs = performance.now();
      await analyzer.analyze({ path, fileName: null, overlapSeconds: 0 }, { signal: make.signal });
      taken.push((performance.now() - startMs) / 1000);
    }
  }
  return made.map(({ name, taken }) => ({
    recording: name,
    seconds,
    runs,
    medianSeconds: median(taken),
    timesRealTime: seconds / median(taken),
    inferenceShare: median(inference) / median(taken),
  }));
}
