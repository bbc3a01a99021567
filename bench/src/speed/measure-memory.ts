import { join } from 'node:path';
import { SetUpError } from '@chiffchaff/cli';
import { readTreeMemory } from '../harness/tree-memory.ts';
import { startProgram } from './child-program.ts';
import { type MakeOptions, makeRecording } from './made-recordings.ts';

export interface MemoryUse {
  readonly recordingSeconds: number;
  readonly workers: number;
  /** of all processes together, with shared pages counted once */
  readonly peakBytes: number;
}

const SAMPLE_EVERY_MS = 100;
const WORKERS = 2;

/**
 * Peak memory of `identify` and its child processes.
 * @returns null on systems other than Linux
 */
export async function measureMemory(input: {
  readonly make: MakeOptions;
  readonly env: NodeJS.ProcessEnv;
  readonly recordingSeconds: number;
}): Promise<MemoryUse | null> {
  const { make, env, recordingSeconds } = input;
  if (process.platform !== 'linux') return null;
  const recording = await makeRecording({ seconds: recordingSeconds, sampleRate: 48_000, format: 'mp3' }, make);
  const main = join(import.meta.dirname, '../../../apps/cli/src/main.ts');
  const program = startProgram(process.execPath, [main, 'identify', '--overlap', '0', '--format', 'json', recording], {
    env: { ...env, INFERENCE_WORKERS: `${WORKERS}` },
    signal: make.signal,
  });
  const answer = program.nextLine();
  let peakBytes = 0;
  const timer = setInterval(() => {
    peakBytes = Math.max(peakBytes, readTreeMemory(program.pid));
  }, SAMPLE_EVERY_MS);
  try {
    await answer;
    const code = await program.ended;
    if (code !== 0) throw new SetUpError(`identify ended with ${code} while its memory was measured.`);
  } finally {
    clearInterval(timer);
    await program.stop();
  }
  return { recordingSeconds, workers: WORKERS, peakBytes };
}
