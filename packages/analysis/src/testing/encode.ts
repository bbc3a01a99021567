import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ffmpegPath } from './find-ffmpeg.ts';

const run = promisify(execFile);

/**
 * Encodes a recording with one of ffmpeg's encoders.
 *
 * @returns its path, or null when this ffmpeg lacks the encoder
 */
export async function encode(source: string, folder: string, name: string, ...args: readonly string[]): Promise<string | null> {
  const target = join(folder, name);
  try {
    await run(ffmpegPath, ['-nostdin', '-loglevel', 'error', '-y', '-i', source, ...args, target]);
    return target;
  } catch (error) {
    if (/Unknown encoder|encoder .*not found|Invalid encoder/i.test(String(error))) return null;
    throw error;
  }
}
