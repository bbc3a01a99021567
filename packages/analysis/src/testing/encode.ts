import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ffmpegPath } from './installed.ts';

const run = promisify(execFile);

/** Encodes a recording with one of ffmpeg's encoders. @returns its path */
export async function encode(source: string, folder: string, name: string, ...args: readonly string[]): Promise<string> {
  const target = join(folder, name);
  await run(ffmpegPath, ['-nostdin', '-loglevel', 'error', '-y', '-i', source, ...args, target]);
  return target;
}
