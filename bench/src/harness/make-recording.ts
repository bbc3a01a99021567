import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { locateFfmpeg } from '@chiffchaff/analysis';
import { requireSoundscape, soundscape } from './recordings.ts';

const run = promisify(execFile);
const SAMPLE_RATE = 48_000;
const dataDir = fileURLToPath(new URL('../../../data', import.meta.url));

/** The installed ffmpeg, which also makes recordings for trials. @throws Error when there is none */
export async function findFfmpeg(): Promise<string> {
  const ffmpegPath = process.env.FFMPEG_PATH;
  const found = await locateFfmpeg({ ffmpegPath, searchPath: process.env.PATH ?? '', dataDir });
  if (found === null) throw new Error('There is no ffmpeg here: npm start fetches one');
  return found.path;
}

/**
 * Writes a part of the soundscape (real birds, two minutes) in another format, or its beginning in a loop.
 *
 * @param target file whose extension determines the format
 * @throws Error when the soundscape is not here
 */
export async function makeRecording(
  target: string,
  { startSeconds = 0, seconds, loopSeconds }: { startSeconds?: number; seconds: number; loopSeconds?: number },
): Promise<void> {
  requireSoundscape();
  const loop = `atrim=end_sample=${SAMPLE_RATE * (loopSeconds ?? 0)},aloop=loop=-1:size=${SAMPLE_RATE * (loopSeconds ?? 0)}`;
  const source = ['-ss', String(startSeconds), '-i', soundscape, ...(loopSeconds === undefined ? [] : ['-af', loop])];
  const output = ['-t', String(seconds), '-ar', String(SAMPLE_RATE), '-ac', '1', target];
  await run(await findFfmpeg(), ['-nostdin', '-loglevel', 'error', '-y', ...source, ...output]);
}
