import { PredictionError } from '../errors.ts';
import type { DescribedAudio } from './ffmpeg-log.ts';
import type { DecodeLimits } from './limits.ts';

/** Holds what ffmpeg read in the header against the limits, before anything is decoded. */
export function checkDescription(audio: DescribedAudio, statedSeconds: number | null, limits: DecodeLimits): void {
  // The rate first: one that makes no sense makes the length nonsense too.
  const { sampleRate } = audio;
  if (sampleRate !== null && (sampleRate < limits.minSampleRate || sampleRate > limits.maxSampleRate)) {
    throw new PredictionError('RECORDING_TOO_DEMANDING', {
      found: `a sampling rate of ${sampleRate} Hz (from ${limits.minSampleRate} to ${limits.maxSampleRate} is read)`,
    });
  }
  if (statedSeconds !== null && statedSeconds > limits.maxSeconds) {
    throw new PredictionError('RECORDING_TOO_LONG', { foundSeconds: statedSeconds, maxSeconds: limits.maxSeconds });
  }
}

/** Holds the number of channels against the limits, before any sample is used. */
export function checkShape(channels: number, limits: DecodeLimits): void {
  if (channels <= limits.maxChannels) return;
  throw new PredictionError('RECORDING_TOO_DEMANDING', { found: `${channels} channels (up to ${limits.maxChannels} are read)` });
}
