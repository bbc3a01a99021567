import type { StartFfmpegOptions } from '../decode/ffmpeg-process.ts';
import type { Source } from '../decode/identify-file.ts';
import { runOnSound } from '../decode/run-on-sound.ts';
import { wordFailure } from '../decode/word-failure.ts';

/**
 * Lets ffmpeg write a file, and waits until it has exited.
 *
 * @returns what it reported about its progress
 * @throws PredictionError when the recording cannot be read; a system error `ENOSPC` when the file cannot be written
 */
export async function writeByFfmpeg(
  source: Source,
  options: Omit<StartFfmpegOptions, 'demuxer' | 'mended' | 'track'>,
  signal: AbortSignal,
): Promise<string> {
  await using run = await runOnSound(source, options, signal);
  let progress = '';
  for (let piece = await run.read(); piece !== null; piece = await run.read()) progress += Buffer.from(piece).toString('latin1');
  const endedWell = await run.readExit();
  signal.throwIfAborted();
  if (run.log.isDiskFull) throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
  if (!endedWell || run.tookTooLong) throw wordFailure(run, source, options.limits);
  return progress;
}
