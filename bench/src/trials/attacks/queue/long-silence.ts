import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { askPrediction, codeOf, isConnectionLost } from '../../../harness/api.ts';
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

/** So many bodies of one account are received at once. All of them are let in while the account has room for one. */
const AT_ONCE = 8;
const WAVE_MS = 3_000;

/**
 * Sends the same recording many times, in waves, and waits for no answer. Aborting the signal takes them back.
 *
 * @throws Error when one is refused: then less is attacked than is said
 */
export async function sendMany(
  origin: string,
  asked: { count: number; token: string; bytes: Bytes; fields: Readonly<Record<string, string>>; signal: AbortSignal },
): Promise<void> {
  const { count, ...recording } = asked;
  const refused: string[] = [];
  for (let n = 0; n < count; n += 1) {
    if (n % AT_ONCE === 0) await delay(WAVE_MS);
    askPrediction(origin, { name: 'long.flac', ...recording }).then(
      (answer) => refused.push(codeOf(answer)),
      (error: unknown) => {
        if (!asked.signal.aborted && !isConnectionLost(error)) throw error;
      },
    );
  }
  await delay(WAVE_MS);
  if (refused.length > 0) throw new Error(`Long recordings were answered ${refused.join(', ')}`);
}

/** @returns how long it took to the answer; null when there was none in time, or it was refused because others were not answered */
export async function timeOf(
  origin: string,
  asked: { token: string; bytes: Bytes; mostMs: number; fields?: Readonly<Record<string, string>> },
): Promise<number | null> {
  const { mostMs, ...recording } = asked;
  const start = performance.now();
  const signal = AbortSignal.timeout(mostMs);
  try {
    const answer = await askPrediction(origin, { name: 'short.flac', ...recording, signal });
    if (answer.status === 503) return null;
    if (answer.status !== 200) throw new Error(`A recording was answered ${codeOf(answer)}`);
    return performance.now() - start;
  } catch (error) {
    if (signal.aborted) return null;
    throw error;
  }
}
