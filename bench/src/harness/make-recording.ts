import { execFile } from 'node:child_process';
import { mkdtempDisposable, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findFfmpeg, readConfig } from '@chiffchaff/cli';
import { requireSoundscape, SAMPLE_RATE, type Sound, soundscape } from './recordings.ts';
import { thisCheckout } from './server.ts';

/** Runs the installed ffmpeg, which also makes recordings for trials. @throws SetUpError when there is none */
export async function ffmpeg(words: readonly string[], { signal }: { signal?: AbortSignal } = {}): Promise<void> {
  const found = await findFfmpeg(readConfig(process.env, thisCheckout), signal ?? new AbortController().signal);
  await promisify(execFile)(found, ['-nostdin', '-loglevel', 'error', '-y', ...words], { signal });
}

interface Stretch {
  readonly startSeconds?: number;
  readonly seconds: number;
  /** Repeats the beginning of this length. */
  readonly loopSeconds?: number;
}

/**
 * Writes a part of the soundscape (real birds, two minutes) in another format, or its beginning in a loop.
 *
 * @param target file whose extension determines the format
 * @throws Error when the soundscape is not here
 */
export async function makeRecording(target: string, { startSeconds = 0, seconds, loopSeconds }: Stretch): Promise<void> {
  requireSoundscape();
  const loop = `atrim=end_sample=${SAMPLE_RATE * (loopSeconds ?? 0)},aloop=loop=-1:size=${SAMPLE_RATE * (loopSeconds ?? 0)}`;
  const source = ['-ss', String(startSeconds), '-i', soundscape, ...(loopSeconds === undefined ? [] : ['-af', loop])];
  await ffmpeg([...source, '-t', String(seconds), '-ar', String(SAMPLE_RATE), '-ac', '1', target]);
}

/** Makes a recording to be sent. @param how a part of the soundscape, or what writes the file */
export async function makeSound(name: string, how: Stretch | ((path: string) => Promise<void>)): Promise<Sound> {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'chiffchaff-sound-'));
  const path = join(folder.path, name);
  await (typeof how === 'function' ? how(path) : makeRecording(path, how));
  return { name, buffer: await readFile(path) };
}
