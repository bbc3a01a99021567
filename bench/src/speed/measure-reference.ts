import { join } from 'node:path';
import { z } from 'zod';
import { median } from '../harness/measures.ts';
import { type ChildProgram, startProgram } from './child-program.ts';

/** Our runtime and the reference interpreter, measured alternately on the same machine. */
export interface ReferenceComparison {
  readonly interpreter: string;
  readonly rows: readonly {
    readonly cores: string;
    readonly runs: number;
    readonly oursMsPerClip: number;
    readonly referenceMsPerClip: number;
    readonly timesFaster: number;
  }[];
}

const readySchema = z.object({ ready: z.string() });
const answerSchema = z.object({ msPerClip: z.number() });

/** @param measureOurs measures milliseconds per clip with a number of workers */
export async function measureReference(input: {
  readonly modelPath: string;
  readonly cores: number;
  readonly runs: number;
  readonly clips: number;
  readonly measureOurs: (workers: number, clips: number) => Promise<number>;
  readonly signal: AbortSignal;
  readonly onProgress: (doing: string) => void;
}): Promise<ReferenceComparison | null> {
  const { modelPath, cores, runs, clips, measureOurs, signal, onProgress } = input;
  const script = join(import.meta.dirname, 'reference-interpreter.py');
  const interpreters = Array.from({ length: cores }, () => startProgram('python3', [script, modelPath], { signal }));
  try {
    const versions = await Promise.all(
      interpreters.map(async (each) => readySchema.parse(JSON.parse(await each.nextLine())).ready),
    ).catch(() => null);
    if (versions === null) return null;
    const [first] = interpreters;
    if (first === undefined) return null;
    const cases = [
      { cores: 'one core', workers: 1, reference: () => runReference([first], 1, clips) },
      { cores: 'all cores, one interpreter', workers: cores, reference: () => runReference([first], cores, clips) },
      { cores: 'all cores, an interpreter each', workers: cores, reference: () => runReference(interpreters, 1, clips) },
    ];
    const rows: ReferenceComparison['rows'][number][] = [];
    for (const { cores: name, workers, reference } of cases) {
      const ours: number[] = [];
      const theirs: number[] = [];
      for (let run = 0; run < runs; run++) {
        onProgress(`${name}, run ${run + 1} of ${runs}`);
        ours.push(await measureOurs(workers, clips));
        theirs.push(await reference());
      }
      rows.push({
        cores: name,
        runs,
        oursMsPerClip: median(ours),
        referenceMsPerClip: median(theirs),
        timesFaster: median(theirs) / median(ours),
      });
    }
    return { interpreter: `ai-edge-litert ${versions[0]}`, rows };
  } finally {
    await Promise.all(interpreters.map((each) => each.stop()));
  }
}

/** Runs `clips` clips on every interpreter concurrently; the slowest determines the result. */
async function runReference(interpreters: readonly ChildProgram[], threads: number, clips: number): Promise<number> {
  for (const interpreter of interpreters) interpreter.send(JSON.stringify({ threads, clips }));
  const answers = await Promise.all(
    interpreters.map(async (each) => answerSchema.parse(JSON.parse(await each.nextLine())).msPerClip),
  );
  return Math.max(...answers) / interpreters.length;
}
