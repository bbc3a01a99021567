import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { askPrediction, isConnectionLost } from '../../../harness/api.ts';
import { findFfmpeg, makeRecording } from '../../../harness/make-recording.ts';

const run = promisify(execFile);

export type Bytes = Uint8Array<ArrayBuffer>;

/** Three hours of silence at 8 kHz: a small file that takes long. */
export async function threeHoursOfSilence(): Promise<Bytes> {
  return madeIn('silence.flac', async (path) => {
    const silence = ['-f', 'lavfi', '-i', 'anullsrc=r=8000:cl=mono', '-t', '10800'];
    await run(await findFfmpeg(), ['-nostdin', '-loglevel', 'error', '-y', ...silence, path]);
  });
}

/** A part of the soundscape, over and over. */
export const birds = (seconds: number): Promise<Bytes> =>
  madeIn('birds.flac', (path) => makeRecording(path, { seconds, ...(seconds > 120 ? { loopSeconds: 120 } : {}) }));

async function madeIn(name: string, make: (path: string) => Promise<void>): Promise<Bytes> {
  const folder = await mkdtemp(join(tmpdir(), 'chiffchaff-attack-'));
  try {
    await make(join(folder, name));
    return new Uint8Array(await readFile(join(folder, name)));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** What makes a recording take thirty times as long as usual. */
export const DENSE = { overlapSeconds: '2.9', minScore: '0', keepAudio: 'nothing' } as const;

/** Sends a recording and does not wait. Aborting the signal takes it back. */
export function sendAndForget(
  origin: string,
  asked: { token: string; bytes: Bytes; fields?: Readonly<Record<string, string>>; signal: AbortSignal },
): void {
  askPrediction(origin, { name: 'long.flac', ...asked }).catch((error: unknown) => {
    if (!asked.signal.aborted && !isConnectionLost(error)) throw error;
  });
}

/** @returns how long it took to the answer; null when there was none in time */
export async function timeOf(
  origin: string,
  asked: { token: string; bytes: Bytes; mostMs: number; fields?: Readonly<Record<string, string>> },
): Promise<number | null> {
  const { mostMs, ...recording } = asked;
  const start = performance.now();
  const signal = AbortSignal.timeout(mostMs);
  try {
    const { status, body } = await askPrediction(origin, { name: 'short.flac', ...recording, signal });
    if (status !== 200) throw new Error(`A recording was answered ${status} ${JSON.stringify(body)}`);
    return performance.now() - start;
  } catch (error) {
    if (signal.aborted) return null;
    throw error;
  }
}
