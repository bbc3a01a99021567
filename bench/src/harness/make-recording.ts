import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { locateFfmpeg } from '@chiffchaff/analysis';
import { requireSoundscape, soundscape } from './recordings.ts';

const run = promisify(execFile);
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
  const flags = ['-nostdin', '-loglevel', 'error', '-y'];
  const source = loopSeconds === undefined ? ['-ss', String(startSeconds), '-i', soundscape] : ['-i', soundscape];
  const sampleRate = 48_000;
  const filters =
    loopSeconds === undefined
      ? []
      : ['-af', `atrim=end_sample=${loopSeconds * sampleRate},aloop=loop=-1:size=${loopSeconds * sampleRate}`];
  await run(await findFfmpeg(), [
    ...flags,
    ...source,
    ...filters,
    '-t',
    String(seconds),
    '-ar',
    String(sampleRate),
    '-ac',
    '1',
    target,
  ]);
}
