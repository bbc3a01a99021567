import type { FileHandle } from 'node:fs/promises';
import { readWaveChunks } from '@chiffchaff/recognizer/audio';
import { startsWith } from '../container/bytes.ts';
import { ac3FrameLength, adtsFrameLength, isFrameChain, mpegAudioFrameLength } from '../container/mpeg-frames.ts';
import { partsOf } from './open-recording.ts';

/** Location and format of the samples in a plain WAV file: integers, little-endian. */
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
/** Bytes of the samples to check for encoded audio: three frames of MP3 or AC-3. */
const SAMPLE_BYTES = 8192;
/** The longest format: the usual one, and the length of an extension, 0. */
const FORMAT_BYTES = 18;
/** With one of these chunks, ffmpeg reads the samples in another way. */
const OTHER_CODINGS: ReadonlySet<string> = new Set(['SMV0', 'XMA2']);
/** Shortest lengths of chunks that ffmpeg accepts. */
const MIN_CHUNK_BYTES: Readonly<Record<string, number>> = { LIST: 4, bext: 602 };

/**
 * Locates the samples of a WAV file as most recorders write it: RIFF with 16 or 24 bits. Reads a few kilobytes, whatever the header claims.
 *
 * @returns null unless the file is plain and complete: one format and one data chunk, all chunks within the file, consistent lengths and
 * block size, nothing left out of the samples. ffmpeg decides what to make of anything else.
 */
export async function findPlainWave(file: FileHandle): Promise<PlainWave | null> {
  const status = await file.stat();
  if (!status.isFile()) return null;
  const read = partsOf(file, status.size);
  const wave = await readWaveChunks(status.size, read);
  if (!wave?.data || wave.isLong || wave.isOpen || wave.isTriggered) return null;
  const { chunks, data } = wave;
  const isOdd = chunks.some(
    ({ name, offset, length }) =>
      OTHER_CODINGS.has(name) || length < (MIN_CHUNK_BYTES[name] ?? 0) || offset + length > status.size || name === 'ds64',
  );
  const [format, ...others] = chunks.filter(({ name }) => name === 'fmt ');
  if (isOdd || chunks.length > MAX_CHUNKS || format === undefined || others.length > 0 || format.offset > data.offset)
    return null;
  if (chunks.some((chunk) => chunk.name === 'data' && chunk.offset !== data.offset)) return null;
  const bytes = Buffer.from(await read(format.offset, FORMAT_BYTES));
  if (bytes.length < FORMAT_BYTES || (format.length !== 16 && (format.length !== 18 || bytes.readUInt16LE(16) !== 0)))
    return null;
  const channels = bytes.readUInt16LE(2);
  const sampleRate = bytes.readUInt32LE(4);
  const frameBytes = bytes.readUInt16LE(12);
  const bits = bytes.readUInt16LE(14);
  if (bytes.readUInt16LE(0) !== PCM || (channels !== 1 && channels !== 2) || (bits !== 16 && bits !== 24)) return null;
  const bytesPerSample = bits === 16 ? 2 : 3;
  if (sampleRate === 0 || frameBytes !== channels * bytesPerSample) return null;
  const rest = data.length % frameBytes;
  if (data.length === 0 || (rest !== 0 && !wave.isWrong)) return null;
  if (looksEncoded(await read(data.offset, Math.min(data.length, SAMPLE_BYTES)))) return null;
  return { sampleRate, channels, bytesPerSample, dataOffset: data.offset, dataBytes: data.length - rest };
}

/** Sync words of DTS and S/PDIF. */
const SYNC_WORDS = ['\x7f\xfe\x80\x01', '\xfe\x7f\x01\x80', '\x1f\xff\xe8\x00', '\xff\x1f\x00\xe8', '\x72\xf8\x1f\x4e'];
const FRAMES = [mpegAudioFrameLength, adtsFrameLength, ac3FrameLength];

/** WAV files may hold encoded audio for disc players in place of samples; ffmpeg recognises and decodes it. */
function looksEncoded(samples: Uint8Array): boolean {
  return (
    SYNC_WORDS.some((word) => startsWith(samples, word)) || FRAMES.some((frameLength) => isFrameChain(samples, 0, 3, frameLength))
  );
}
