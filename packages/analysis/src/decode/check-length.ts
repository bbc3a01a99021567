import { PredictionError } from '../errors.ts';
import type { DescribedAudio } from './ffmpeg-log.ts';
import type { FfmpegRun } from './ffmpeg-run.ts';
import type { DecodeLimits } from './limits.ts';

/** No coding that keeps birds takes fewer bytes for a second of sound (16 kbit/s). */
const FEWEST_BYTES_PER_SECOND = 2000;

/** Whether a recording whose length is not known for sure may be longer than is allowed: listening to all of it would be in vain. */
export function mayBeTooLong({ statedSeconds }: DescribedAudio, fileBytes: number, { maxSeconds }: DecodeLimits): boolean {
  return statedSeconds === null ? fileBytes > maxSeconds * FEWEST_BYTES_PER_SECOND : statedSeconds > maxSeconds;
}

/**
 * Counts a recording's length by its packets, which takes a second where decoding takes minutes.
 *
 * @param count ffmpeg, counting
 * @throws PredictionError `RECORDING_TOO_LONG`
 * @throws DecoderInterrupted
 */
export async function checkLength(count: FfmpegRun, audio: DescribedAudio, { maxSeconds }: DecodeLimits): Promise<void> {
  try {
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
  } finally {
    await count.stop();
  }
}
