import type { FileHandle } from 'node:fs/promises';
import { PredictionError } from '../errors.ts';
import type { DecodedRecording } from './decoded-recording.ts';
import { findPlainWave, type PlainWave } from './find-plain-wave.ts';
import type { DecodeLimits } from './limits.ts';
import { openRecording } from './open-recording.ts';

export interface ReadPlainWaveOptions {
  /** Hz of the decoded samples; a file at another rate is not plain */
  readonly sampleRate: number;
  readonly signal: AbortSignal;
  readonly limits: DecodeLimits;
}

const FRAMES_AT_ONCE = 48_000;

/**
 * Reads a plain WAV file without ffmpeg, whose start takes longer than the analysis of three seconds of audio. The samples are identical to
 * ffmpeg's, bit for bit. This is the only format that is not decoded in a limited child process, so it uses buffers of limited size, trusts
 * no figure that contradicts the file, and leaves anything odd to ffmpeg.
 *
 * @returns null when the file is not plain (`findPlainWave`), at another rate, too short or too long
 * @throws the signal's reason when it aborts
 */
export async function readPlainWave(path: string, options: ReadPlainWaveOptions): Promise<DecodedRecording | null> {
  const { sampleRate, signal, limits } = options;
  signal.throwIfAborted();
  const file = await openRecording(path).catch(() => null);
  if (file === null) return null;
  const plain = await findPlainWave(file).catch(() => null);
  const seconds = plain?.sampleRate === sampleRate ? durationOf(plain, plain.dataBytes) : 0;
  if (plain === null || signal.aborted || seconds < limits.minSeconds || seconds > limits.maxSeconds) {
    await file.close();
    signal.throwIfAborted();
    return null;
  }
  const samples = readSamples(file, plain, { ...options, onEnd: (end) => (decoded.end = end) });
  const decoded: { -readonly [Key in keyof DecodedRecording]: DecodedRecording[Key] } = {
    container: 'wav',
    codec: plain.bytesPerSample === 2 ? 'pcm_s16le' : 'pcm_s24le',
    sampleRate,
    channels: plain.channels,
    tracks: 1,
    statedSeconds: seconds,
    expectedSeconds: seconds,
    samples,
    end: null,
    async stop() {
      // Waits for a read in progress. If reading has not started, `return` does not run the `finally` that closes the file.
      await samples.return();
      await file.close();
    },
  };
  return decoded;
}

const durationOf = ({ channels, bytesPerSample, sampleRate }: PlainWave, bytes: number): number =>
  bytes / (channels * bytesPerSample) / sampleRate;

async function* readSamples(
  file: FileHandle,
  plain: PlainWave,
  { signal, limits, onEnd }: ReadPlainWaveOptions & { readonly onEnd: (end: DecodedRecording['end']) => void },
): AsyncGenerator<Float32Array, void> {
  const { channels, bytesPerSample, dataOffset, dataBytes } = plain;
  const frameBytes = channels * bytesPerSample;
  const convert = bytesPerSample === 2 ? from16Bits : from24Bits;
  const bytes = Buffer.alloc(Math.min(FRAMES_AT_ONCE * frameBytes, dataBytes));
  const samples = new Float32Array(bytes.length / bytesPerSample);
  let done = 0;
  try {
    while (done < dataBytes) {
      signal.throwIfAborted();
      const length = Math.min(bytes.length, dataBytes - done);
      const bytesRead = await readBytes(file, bytes.subarray(0, length), dataOffset + done);
      const whole = bytesRead - (bytesRead % frameBytes);
      if (whole === 0) break;
      done += whole;
      const piece = samples.subarray(0, whole / bytesPerSample);
      convert(bytes, piece);
      yield piece;
    }
    signal.throwIfAborted();
    // Only a file that was shortened in the meantime ends early.
    const durationSeconds = durationOf(plain, done);
    if (durationSeconds < limits.minSeconds) {
      throw new PredictionError('RECORDING_TOO_SHORT', { foundSeconds: durationSeconds, minSeconds: limits.minSeconds });
    }
    onEnd({ durationSeconds, truncated: done < dataBytes, missingShare: 1 - done / dataBytes });
  } finally {
    await file.close();
  }
}

/** @throws PredictionError `DECODER_FAILED` when the disk fails, which is no fault of the recording */
async function readBytes(file: FileHandle, bytes: Buffer, position: number): Promise<number> {
  try {
    return (await file.read(bytes, 0, bytes.length, position)).bytesRead;
  } catch (cause) {
    throw new PredictionError('DECODER_FAILED', {}, { cause });
  }
}

// Both fill `samples` from the start of `bytes`. Dividing by a power of two does not round.

function from16Bits(bytes: Buffer, samples: Float32Array): void {
  for (let i = 0; i < samples.length; i++) samples[i] = bytes.readInt16LE(2 * i) / 2 ** 15;
}

function from24Bits(bytes: Buffer, samples: Float32Array): void {
  for (let i = 0; i < samples.length; i++) samples[i] = bytes.readIntLE(3 * i, 3) / 2 ** 23;
}
