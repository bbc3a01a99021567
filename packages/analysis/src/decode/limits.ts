import { PredictionError } from '../errors.ts';
import type { DescribedAudio } from './ffmpeg-log.ts';

/** What one recording may take. Nothing in a file's header can make us spend more. */
export interface DecodeLimits {
  /** seconds of sound at least */
  readonly minSeconds: number;
  /** seconds of sound at most */
  readonly maxSeconds: number;
  readonly maxChannels: number;
  /** Hz */
  readonly minSampleRate: number;
  /** Hz; bat recorders reach 500 kHz */
  readonly maxSampleRate: number;
  /** address space of the decoding process; ffmpeg takes 0.3 GB of it for an ordinary file */
  readonly maxMemoryBytes: number;
  /** how long the decoding process may be silent while we wait for it */
  readonly stallMs: number;
  /** how long we wait for the decoding process in all; time that the analyzer itself takes does not count */
  readonly maxWaitMs: number;
  /** waits before the decoding process is started again when the system has ended it or not let it start; as many tries as there are */
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

/** Holds what ffmpeg read in the header against the limits, before anything is decoded. */
export function checkDescription(audio: DescribedAudio, statedSeconds: number | null, limits: DecodeLimits): void {
  // The rate first: one that makes no sense makes the length nonsense too.
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

/** Holds the number of channels against the limits, before any sample is used. */
export function checkShape(channels: number, limits: DecodeLimits): void {
  if (channels <= limits.maxChannels) return;
  throw new PredictionError('RECORDING_TOO_DEMANDING', {
    found: `${channels} channels (up to ${limits.maxChannels} can be read)`,
  });
}
