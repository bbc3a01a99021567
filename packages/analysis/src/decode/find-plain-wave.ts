import type { FileHandle } from 'node:fs/promises';
import { readWaveChunks } from '@chiffchaff/recognizer/audio';
import { startsWith } from '../container/bytes.ts';
import { ac3FrameLength, adtsFrameLength, isFrameChain, mpegAudioFrameLength } from '../container/mpeg-frames.ts';
import { partsOf } from './open-recording.ts';

/** Sample formats of a plain WAV file, by ffmpeg's names; all are little-endian. */
export type PlainCoding = 'pcm_s16le' | 'pcm_s24le' | 'pcm_s32le' | 'pcm_f32le';

/** Location and format of the samples in a plain WAV file. */
export interface PlainWave {
  readonly container: 'wav' | 'rf64';
  readonly coding: PlainCoding;
  /** Hz */
  readonly sampleRate: number;
  readonly channels: number;
  readonly bytesPerSample: 2 | 3 | 4;
  readonly dataOffset: number;
  readonly dataBytes: number;
}

type Shape = Pick<PlainWave, 'coding' | 'sampleRate' | 'channels' | 'bytesPerSample'>;

const MAX_CHUNKS = 32;
/** Bytes of the samples to check for encoded audio: three frames of MP3 or AC-3. */
const SAMPLE_BYTES = 8192;
/** The longest format. */
const FORMAT_BYTES = 40;
/** RF64: the length is in the chunk `ds64`. */
const LENGTH_ELSEWHERE = 0xffff_ffff;
/** With one of these chunks, ffmpeg reads the samples in another way. */
const OTHER_CODINGS: ReadonlySet<string> = new Set(['SMV0', 'XMA2']);
/** Shortest lengths of chunks that ffmpeg accepts. */
const MIN_CHUNK_BYTES: Readonly<Record<string, number>> = { LIST: 4, bext: 602, ds64: 24 };

/**
 * Locates the samples of a WAV file (RIFF or RF64). Reads a few kilobytes, whatever the header claims.
 *
 * @returns null unless the file is plain and complete: one format and one data chunk, all chunks within the file, consistent lengths and
 * block size, nothing left out of the samples. ffmpeg decides what to make of anything else.
 */
export async function findPlainWave(file: FileHandle): Promise<PlainWave | null> {
  const status = await file.stat();
  if (!status.isFile()) return null;
  const read = partsOf(file, status.size);
  const wave = await readWaveChunks(status.size, read);
  if (!wave?.data || wave.isOpen || wave.isTriggered || wave.chunks.length > MAX_CHUNKS) return null;
  const { chunks, data, isLong } = wave;
  const isOdd = chunks.some(
    ({ name, offset, length }, index) =>
      OTHER_CODINGS.has(name) ||
      length < (MIN_CHUNK_BYTES[name] ?? 0) ||
      offset + length > status.size ||
      (name === 'ds64' && !(isLong && index === 0)),
  );
  const [format, ...others] = chunks.filter(({ name }) => name === 'fmt ');
  if (isOdd || format === undefined || others.length > 0 || format.offset > data.offset) return null;
  if (chunks.some((chunk) => chunk.name === 'data' && chunk.offset !== data.offset)) return null;
  if (isLong !== (data.statedLength === LENGTH_ELSEWHERE)) return null;
  const bytes = Buffer.from(await read(format.offset, FORMAT_BYTES));
  const shape = bytes.length < FORMAT_BYTES ? null : readShape(bytes, format.length);
  if (shape === null) return null;
  const frameBytes = shape.channels * shape.bytesPerSample;
  const rest = data.length % frameBytes;
  if (data.length === 0 || (rest !== 0 && !wave.isWrong)) return null;
  if (looksEncoded(await read(data.offset, Math.min(data.length, SAMPLE_BYTES)))) return null;
  return { container: isLong ? 'rf64' : 'wav', ...shape, dataOffset: data.offset, dataBytes: data.length - rest };
}

const PCM = 1;
const FLOAT = 3;
const EXTENSIBLE = 0xfffe;
/** Rest of the GUID of an extensible format, after the format's number. */
const SUBFORMAT = '000000001000800000aa00389b71';

/** @param format contents of the chunk, and the bytes after it */
function readShape(format: Buffer, length: number): Shape | null {
  const channels = format.readUInt16LE(2);
  const sampleRate = format.readUInt32LE(4);
  const bits = format.readUInt16LE(14);
  if (sampleRate === 0 || (channels !== 1 && channels !== 2) || format.readUInt16LE(12) !== (channels * bits) / 8) return null;
  let tag = format.readUInt16LE(0);
  if (tag === EXTENSIBLE) {
    const isUsual = format.readUInt16LE(16) === 22 && format.readUInt16LE(18) === bits;
    if (length !== 40 || !isUsual || !hasUsualSpeakers(format.readUInt32LE(20), channels)) return null;
    if (format.toString('hex', 26, 40) !== SUBFORMAT) return null;
    tag = format.readUInt16LE(24);
  } else if (length !== 16 && !(length === 18 && format.readUInt16LE(16) === 0)) return null;
  if (tag === FLOAT) return bits === 32 ? { coding: 'pcm_f32le', sampleRate, channels, bytesPerSample: 4 } : null;
  if (tag !== PCM) return null;
  switch (bits) {
    case 16:
      return { coding: 'pcm_s16le', sampleRate, channels, bytesPerSample: 2 };
    case 24:
      return { coding: 'pcm_s24le', sampleRate, channels, bytesPerSample: 3 };
    case 32:
      return { coding: 'pcm_s32le', sampleRate, channels, bytesPerSample: 4 };
    default:
      return null;
  }
}

/** Unspecified, or centre for one channel and left and right for two. */
const hasUsualSpeakers = (mask: number, channels: 1 | 2): boolean => mask === 0 || mask === (channels === 1 ? 4 : 3);

/** Sync words of DTS and S/PDIF. */
const SYNC_WORDS = ['\x7f\xfe\x80\x01', '\xfe\x7f\x01\x80', '\x1f\xff\xe8\x00', '\xff\x1f\x00\xe8', '\x72\xf8\x1f\x4e'];
const FRAMES = [mpegAudioFrameLength, adtsFrameLength, ac3FrameLength];

/** WAV files may hold encoded audio for disc players in place of samples; ffmpeg recognises and decodes it. */
function looksEncoded(samples: Uint8Array): boolean {
  return (
    SYNC_WORDS.some((word) => startsWith(samples, word)) || FRAMES.some((frameLength) => isFrameChain(samples, 0, 3, frameLength))
  );
}
