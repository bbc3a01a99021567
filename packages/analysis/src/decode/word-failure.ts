import { PredictionError } from '../errors.ts';
import { DecoderInterrupted } from './decoder-restarts.ts';
import type { FfmpegRun } from './ffmpeg-run.ts';
import type { Source } from './identify-file.ts';
import type { DecodeLimits } from './limits.ts';

/** Bytes; a shorter file was cut off within its header. */
const SHORTEST_HEADER = 44;

/**
 * Words why nothing could be decoded. What ffmpeg itself reported is in the cause, for logs.
 *
 * @returns DecoderInterrupted with the refusal as its cause where the machine may be at fault
 */
export function wordFailure(
  { log, tookTooLong, hasCrashed }: FfmpegRun,
  { recording, bytes }: Pick<Source, 'recording' | 'bytes'>,
  { maxMemoryBytes }: DecodeLimits,
): PredictionError | DecoderInterrupted {
  const { name } = recording;
  const cause = new Error(`ffmpeg said: ${log.complaints.join(' | ') || 'nothing'}`);
  const refused = (code: 'RECORDING_TOO_DEMANDING' | 'RECORDING_UNSUPPORTED', found: string) =>
    new PredictionError(code, { found }, { cause });
  const damaged = (why: string) => new PredictionError('RECORDING_DAMAGED', { container: name, why }, { cause });
  const unsure = (refusal: PredictionError) => new DecoderInterrupted('The decoder failed.', { cause: refusal });

  if (tookTooLong) return unsure(refused('RECORDING_TOO_DEMANDING', `${name} that takes too long to read`));
  if (log.ranOutOfMemory) {
    const megabytes = Math.round(maxMemoryBytes / 1_048_576);
    return unsure(refused('RECORDING_TOO_DEMANDING', `${name} that needs more than ${megabytes} MB of memory to read`));
  }
  if (log.isProtected) return refused('RECORDING_UNSUPPORTED', 'a copy-protected recording');
  if (log.audio?.codec === 'none' || log.hasNoDecoder) {
    return refused('RECORDING_UNSUPPORTED', `${name} in an encoding we can’t read`);
  }
  if (log.hasNoAudio) return new PredictionError('RECORDING_EMPTY', {}, { cause });
  if (hasCrashed) return unsure(damaged('the decoder crashed while reading it'));
  if (log.audio !== undefined && !log.hasErrors) {
    const empty = new PredictionError('RECORDING_EMPTY', {}, { cause });
    // ffmpeg warns when it has written nothing. A decoder that ends without a word was ended.
    return log.complaints.length === 0 ? unsure(empty) : empty;
  }
  return damaged(log.endedEarly || bytes < SHORTEST_HEADER ? 'it ends too early' : 'its contents are not valid');
}
