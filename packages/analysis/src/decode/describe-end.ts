import type { Ending } from '../container/ending.ts';
import type { RecordingKind } from '../container/recording-kinds.ts';
import type { DecodedEnd } from './decoded-recording.ts';
import type { DescribedAudio, FfmpegLog } from './ffmpeg-log.ts';

/** Containers that state the length of their audio, by a count of samples or frames. In a video it is the length of the picture. */
const STATES_SOUND = new Set(['wav', 'rf64', 'w64', 'aiff', 'flac', 'mp3', 'wavpack', 'caf']);

/** Containers for which {@link Ending} alone decides whether they end early; a header that is off by a few bytes is no early end. */
const STATES_BYTES = new Set(['wav', 'rf64', 'w64', 'caf']);

/** Encoders pad and recorders round: less than this does not count as missing. */
const NOTICED_SECONDS = 0.25;
const NOTICED_SHARE = 0.01;

/** The length a file states, unless it is that of a picture or estimated from the bit rate. */
export function reliableSeconds(recording: RecordingKind, audio: DescribedAudio): number | null {
  return audio.isExact && STATES_SOUND.has(recording.container) ? audio.statedSeconds : null;
}

export interface DescribeEndOptions {
  readonly recording: RecordingKind;
  /** decoded */
  readonly durationSeconds: number;
  readonly audio: DescribedAudio;
  readonly ending: Ending | null;
  /** ffmpeg exited by itself with code 0 */
  readonly endedWell: boolean;
  readonly log: Pick<FfmpegLog, 'endedEarly' | 'hasErrors' | 'streams'>;
}

/** Determines whether the recording ended before its stated end, and how much is missing. */
export function describeEnd(options: DescribeEndOptions): DecodedEnd {
  const { recording, durationSeconds, audio, ending, endedWell, log } = options;
  // A picture may go on behind the sound. Where the decoder complains, or there is nothing else, the sound is what is missing.
  const isItsOwn = audio.isExact && (log.hasErrors || log.streams === 1);
  const statedSeconds = isItsOwn ? audio.statedSeconds : reliableSeconds(recording, audio);
  const missingByTime = statedSeconds === null ? 0 : statedSeconds - durationSeconds;
  const missingShareByBytes = ending?.missingShare ?? 0;
  const missingByBytes = missingShareByBytes < 1 ? (missingShareByBytes / (1 - missingShareByBytes)) * durationSeconds : Infinity;
  const missingSeconds = Math.max(missingByTime, missingByBytes);
  const missingShare = Math.min(1, Math.max(0, missingSeconds / (missingSeconds + durationSeconds)));
  const isNoticed = missingSeconds > NOTICED_SECONDS && missingShare > NOTICED_SHARE;
  const isSaid = STATES_BYTES.has(recording.container) ? false : log.endedEarly || (ending?.isEarly ?? false);
  const truncated = isNoticed || isSaid || !endedWell;
  return { durationSeconds, truncated, missingShare: truncated && isNoticed ? missingShare : 0 };
}
