import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { DecodedRecording } from './decode-recording.ts';
import type { DecodeLimits } from './limits.ts';

/** Where the samples of a plain WAV file lie, and of what shape they are. */
export interface PlainWave {
  /** Hz */
  readonly sampleRate: number;
  readonly channels: number;
  readonly bytesPerSample: 2 | 3;
  readonly dataOffset: number;
  readonly dataBytes: number;
}

const PCM = 1;
const MAX_CHUNKS = 32;
const MAX_CHANNELS = 2;
const FRAMES_AT_ONCE = 48_000;

/**
 * A WAV file of plain 16 or 24 bit samples at the rate that is wanted, whole and as its header says, read without ffmpeg: starting that takes
 * longer than analysing three seconds. The samples are those that ffmpeg gives, bit for bit.
 *
 * @returns null for everything else, damaged files among it: ffmpeg knows what to make of those
 * @throws the signal's reason when it aborts, while samples are read
 */
export async function readPlainWave(
  path: string,
  { sampleRate, signal, limits }: { readonly sampleRate: number; readonly signal: AbortSignal; readonly limits: DecodeLimits },
): Promise<DecodedRecording | null> {
  signal.throwIfAborted();
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)).catch(() => null);
  if (file === null) return null;
  const found = await findPlainWave(file).catch(() => null);
  const plain = found?.sampleRate === sampleRate ? found : null;
  const frameBytes = plain === null ? 1 : plain.channels * plain.bytesPerSample;
  const durationSeconds = plain === null ? 0 : plain.dataBytes / frameBytes / sampleRate;
  if (plain === null || durationSeconds < limits.minSeconds || durationSeconds > limits.maxSeconds) {
    await file.close();
    return null;
  }
  const { channels, bytesPerSample, dataOffset, dataBytes } = plain;
  const source: FileHandle = file;

  async function* readSamples(): AsyncGenerator<Float32Array> {
    const bytes = Buffer.alloc(Math.min(FRAMES_AT_ONCE * frameBytes, dataBytes));
    const samples = new Float32Array(bytes.length / bytesPerSample);
    let done = 0;
    while (done < dataBytes) {
      signal.throwIfAborted();
      const { bytesRead } = await source.read(bytes, 0, Math.min(bytes.length, dataBytes - done), dataOffset + done);
      const whole = bytesRead - (bytesRead % frameBytes);
      if (whole === 0) break;
      done += whole;
      const count = whole / bytesPerSample;
      if (bytesPerSample === 2) for (let i = 0; i < count; i++) samples[i] = bytes.readInt16LE(2 * i) / 2 ** 15;
      else for (let i = 0; i < count; i++) samples[i] = bytes.readIntLE(3 * i, 3) / 2 ** 23;
      yield samples.subarray(0, count);
    }
    // Only where the file became shorter meanwhile.
    decoded.end = {
      durationSeconds: done / frameBytes / sampleRate,
      truncated: done < dataBytes,
      missingShare: 1 - done / dataBytes,
    };
  }

  const decoded: { -readonly [Key in keyof DecodedRecording]: DecodedRecording[Key] } = {
    container: 'wav',
    codec: `pcm_s${8 * bytesPerSample}le`,
    sampleRate,
    channels,
    statedSeconds: durationSeconds,
    expectedSeconds: durationSeconds,
    samples: readSamples(),
    end: null,
    stop: () => file.close(),
  };
  return decoded;
}

/** Looks for the samples of a WAV file. Null where anything is not as it is in the plainest of files. */
export async function findPlainWave(file: FileHandle): Promise<PlainWave | null> {
  const status = await file.stat();
  if (!status.isFile()) return null;
  const read = async (offset: number, length: number): Promise<Buffer> => {
    const bytes = Buffer.alloc(length);
    const { bytesRead } = await file.read(bytes, 0, length, offset);
    return bytes.subarray(0, bytesRead);
  };
  const head = await read(0, 12);
  if (head.length < 12 || head.toString('latin1', 0, 4) !== 'RIFF' || head.toString('latin1', 8) !== 'WAVE') return null;
  let shape: Shape | null = null;
  let offset = 12;
  for (let chunk = 0; chunk < MAX_CHUNKS; chunk++) {
    const header = await read(offset, 24);
    if (header.length < 8) return null;
    const name = header.toString('latin1', 0, 4);
    const size = header.readUInt32LE(4);
    if (name === 'fmt ') {
      if (shape !== null || size < 16 || size > 18 || header.length < 24) return null;
      shape = readShape(header);
      if (shape === null) return null;
    }
    if (name === 'data') {
      const isWhole = size > 0 && offset + 8 + size <= status.size;
      if (shape === null || !isWhole || size % (shape.channels * shape.bytesPerSample) !== 0) return null;
      return { ...shape, dataOffset: offset + 8, dataBytes: size };
    }
    offset += 8 + size + (size % 2);
  }
  return null;
}

type Shape = Pick<PlainWave, 'sampleRate' | 'channels' | 'bytesPerSample'>;

function readShape(header: Buffer): Shape | null {
  const [format, channels, blockBytes] = [header.readUInt16LE(8), header.readUInt16LE(10), header.readUInt16LE(20)];
  const [sampleRate, bits] = [header.readUInt32LE(12), header.readUInt16LE(22)];
  if (format !== PCM || channels < 1 || channels > MAX_CHANNELS || sampleRate === 0) return null;
  if ((bits !== 16 && bits !== 24) || blockBytes !== (channels * bits) / 8) return null;
  return { sampleRate, channels, bytesPerSample: bits === 16 ? 2 : 3 };
}
