import { PredictionError } from '../errors.ts';
import type { DescribedAudio } from './ffmpeg-log.ts';

/** Limits for one recording, whatever its header claims. */
export interface DecodeLimits {
  /** minimum seconds of audio */
  readonly minSeconds: number;
  /** maximum seconds of audio */
  readonly maxSeconds: number;
  readonly maxChannels: number;
  /** Hz */
  readonly minSampleRate: number;
  /** Hz; bat recorders reach 500 kHz */
  readonly maxSampleRate: number;
  /** address space of the decoder; ffmpeg needs 0.3 GB for an ordinary file */
  readonly maxMemoryBytes: number;
  /** most processor time of the decoder in one silence; a decoder silent for this long that uses none is restarted */
  readonly stallMs: number;
  /** most processor time of the decoder in all */
  readonly maxWaitMs: number;
  /** delays before restarts of a decoder that the system has ended or could not start; as many restarts as delays */
  readonly restartDelaysMs: readonly number[];
}

export const defaultDecodeLimits: DecodeLimits = {
  minSeconds: 0.5,
  maxSeconds: 10_800,
  maxChannels: 32,
  minSampleRate: 1000,
  maxSampleRate: 768_000,
  maxMemoryBytes: 1_073_741_824,
  stallMs: 4_000,
  maxWaitMs: 600_000,
  restartDelaysMs: [100, 500, 2_000, 5_000, 10_000],
};

/** Checks what ffmpeg read in the header against the limits, before anything is decoded. */
export function checkDescription(audio: DescribedAudio, statedSeconds: number | null, limits: DecodeLimits): void {
  // The rate first: a nonsensical rate makes the length meaningless.
  const { sampleRate } = audio;
  if (sampleRate !== null && (sampleRate < limits.minSampleRate || sampleRate > limits.maxSampleRate)) {
    throw new PredictionError('RECORDING_TOO_DEMANDING', {
      found: `a sample rate of ${sampleRate} Hz (${limits.minSampleRate} to ${limits.maxSampleRate} Hz can be read)`,
    });
  }
  if (statedSeconds !== null && statedSeconds > limits.maxSeconds) {
    throw new PredictionError('RECORDING_TOO_LONG', { foundSeconds: statedSeconds, maxSeconds: limits.maxSeconds });
  }
}

/** Checks the number of channels against the limit, before any sample is used. */
export function checkShape(channels: number, limits: DecodeLimits): void {
  if (channels <= limits.maxChannels) return;
  throw new PredictionError('RECORDING_TOO_DEMANDING', {
    found: `${channels} channels (up to ${limits.maxChannels} can be read)`,
  });
}
