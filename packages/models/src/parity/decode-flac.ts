import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

const MAX_SAMPLES = 48_000 * 600;

/** Decodes a 16-bit mono FLAC file with ffmpeg to samples between −1 and 1 (integer ÷ 32768, nothing else). */
export async function decodeFlac(file: string): Promise<Float32Array> {
  const { stdout } = await run(
    'ffmpeg',
    ['-nostdin', '-loglevel', 'error', '-i', file, '-f', 's16le', '-c:a', 'pcm_s16le', 'pipe:1'],
    { encoding: 'buffer', maxBuffer: 2 * MAX_SAMPLES },
  );
  return Float32Array.from({ length: stdout.byteLength / 2 }, (_, index) => stdout.readInt16LE(2 * index) / 32_768);
}
