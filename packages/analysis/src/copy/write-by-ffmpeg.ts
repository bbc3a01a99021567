import type { StartFfmpegOptions } from '../decode/ffmpeg-process.ts';
import type { Source } from '../decode/identify-file.ts';
import { runOnSound } from '../decode/run-on-sound.ts';
import { wordFailure } from '../decode/word-failure.ts';

/**
 * Lets ffmpeg write a file, and waits until it has exited.
 *
 * @returns what it reported about its progress
 */
export async function writeByFfmpeg(
  source: Source,
  options: Omit<StartFfmpegOptions, 'demuxer' | 'mended' | 'track'>,
  signal: AbortSignal,
): Promise<string> {
  const run = await runOnSound(source, options, signal);
  try {
    let progress = '';
    for (let piece = await run.read(); piece !== null; piece = await run.read())
      progress += Buffer.from(piece).toString('latin1');
    const endedWell = await run.readExit();
    signal.throwIfAborted();
    if (!endedWell || run.tookTooLong) throw wordFailure(run, source, options.limits);
    return progress;
  } finally {
    await run.stop();
  }
}
