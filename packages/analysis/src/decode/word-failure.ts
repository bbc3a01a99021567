import type { RecordingKind } from '../container/recording-kinds.ts';
import { PredictionError } from '../errors.ts';
import type { FfmpegRun } from './ffmpeg-run.ts';
import type { DecodeLimits } from './limits.ts';

/** No recording that begins is shorter: what is, was cut off. */
const SHORTEST_HEADER = 44;

export interface WordedSource {
  readonly recording: RecordingKind;
  /** of the file */
  readonly bytes: number;
}

/** Says why nothing could be decoded. What ffmpeg itself said stays in the cause, for logs. */
export function wordFailure(run: FfmpegRun, { recording, bytes }: WordedSource, limits: DecodeLimits): PredictionError {
  const { log } = run;
  const cause = new Error(`ffmpeg said: ${log.complaints.join(' | ') || 'nothing'}`);
  if (run.tookTooLong) {
    return new PredictionError('RECORDING_TOO_DEMANDING', { found: `${recording.name} that takes too long to read` }, { cause });
  }
  if (log.ranOutOfMemory) {
    const found = `${recording.name} that needs more than ${Math.round(limits.maxMemoryBytes / 1_048_576)} MB of memory to read`;
    return new PredictionError('RECORDING_TOO_DEMANDING', { found }, { cause });
  }
  if (log.isProtected) {
    return new PredictionError('RECORDING_UNSUPPORTED', { found: 'a copy-protected recording' }, { cause });
  }
  if (log.audio?.codec === 'none' || log.hasNoDecoder) {
    return new PredictionError(
      'RECORDING_UNSUPPORTED',
      { found: `${recording.name} in a coding that we cannot read` },
      { cause },
    );
  }
  if (log.hasNoAudio) return new PredictionError('RECORDING_EMPTY', {}, { cause });
  if (run.hasCrashed) {
    return new PredictionError('RECORDING_DAMAGED', { container: recording.name, why: 'reading it breaks off' }, { cause });
  }
  // It opened, it had nothing to complain of, and nothing came out.
  if (log.audio !== undefined && !log.hasErrors) return new PredictionError('RECORDING_EMPTY', {}, { cause });
  const why = log.endedEarly || bytes < SHORTEST_HEADER ? 'it ends too early' : 'what is in it makes no sense';
  return new PredictionError('RECORDING_DAMAGED', { container: recording.name, why }, { cause });
}
