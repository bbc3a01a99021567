import { PredictionError } from '../errors.ts';
import type { DescribedAudio } from './ffmpeg-log.ts';
import type { FfmpegRun } from './ffmpeg-run.ts';
import type { DecodeLimits } from './limits.ts';

/** No coding that preserves bird sounds needs fewer bytes per second (16 kbit/s). */
const FEWEST_BYTES_PER_SECOND = 2000;

/** Whether a recording without a reliable length may exceed the limit; decoding all of it to find out would be a waste. */
export function mayBeTooLong({ statedSeconds }: DescribedAudio, fileBytes: number, { maxSeconds }: DecodeLimits): boolean {
  return statedSeconds === null ? fileBytes > maxSeconds * FEWEST_BYTES_PER_SECOND : statedSeconds > maxSeconds;
}

/**
 * Measures a recording's length by counting packets, which takes a second where decoding takes minutes.
 *
 * @param count an ffmpeg run with the output `count`
 * @throws PredictionError `RECORDING_TOO_LONG`
 * @throws DecoderInterrupted
 */
export async function checkLength(count: FfmpegRun, audio: DescribedAudio, { maxSeconds }: DecodeLimits): Promise<void> {
  let unfinished = '';
  for (let bytes = await count.read(); bytes !== null; bytes = await count.read()) {
    const lines = (unfinished + Buffer.from(bytes).toString('latin1')).split('\n');
    unfinished = lines.pop() ?? '';
    for (const line of lines) {
      const microseconds = Number(/^out_time_us=(\d+)/.exec(line)?.[1] ?? 0);
      if (microseconds > maxSeconds * 1e6) {
        throw new PredictionError('RECORDING_TOO_LONG', {
          foundSeconds: audio.isExact ? audio.statedSeconds : null,
          maxSeconds,
        });
      }
    }
  }
  await count.readExit();
}
