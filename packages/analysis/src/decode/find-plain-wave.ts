import type { FileHandle } from 'node:fs/promises';
import { startsWith } from '../container/bytes.ts';
import { ac3FrameLength, adtsFrameLength, isFrameChain, mpegAudioFrameLength } from '../container/mpeg-frames.ts';

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
/** Enough for the chunks that recorders write in front of the samples. */
const HEAD_BYTES = 4096;
/** Bytes of the samples to check for encoded audio: three frames of MP3 or AC-3. */
const SAMPLE_BYTES = 8192;
/** A chunk header with the longest format. */
const CHUNK_BYTES = 48;
/** RF64: the length is in the chunk `ds64`. */
const LENGTH_ELSEWHERE = 0xffff_ffff;
/** With one of these chunks, ffmpeg reads the samples in another way. */
const OTHER_CODINGS: ReadonlySet<string> = new Set(['SMV0', 'XMA2']);
/** Shortest lengths of chunks that ffmpeg accepts. */
const MIN_CHUNK_BYTES: Readonly<Record<string, number>> = { LIST: 4, bext: 602 };

/**
 * Locates the samples of a WAV file (RIFF or RF64). Reads a few kilobytes, whatever the header claims.
 *
 * @returns null unless the file is plain and complete: one format and one data chunk, all chunks within the file, consistent lengths and
 * block size. ffmpeg decides what to make of anything else.
 */
export async function findPlainWave(file: FileHandle): Promise<PlainWave | null> {
  const status = await file.stat();
  if (!status.isFile()) return null;
  const read = async (offset: number, length: number): Promise<Buffer> => {
    if (!(offset < status.size)) return Buffer.alloc(0);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, offset);
    return buffer.subarray(0, bytesRead);
  };
  const head = await read(0, HEAD_BYTES);
  const container = containerOf(head);
  let shape: Shape | null = null;
  let found: PlainWave | null = null;
  let lengthElsewhere = 0;
  let offset = 12;
  for (let chunk = 0; container !== null && chunk < MAX_CHUNKS; chunk++) {
    const isInHead = offset + CHUNK_BYTES <= head.length;
    const bytes = isInHead ? head.subarray(offset, offset + CHUNK_BYTES) : await read(offset, CHUNK_BYTES);
    // The end of the file.
    if (bytes.length < 8) return found;
    const name = bytes.toString('latin1', 0, 4);
    let length = bytes.readUInt32LE(4);
    if (OTHER_CODINGS.has(name) || length < (MIN_CHUNK_BYTES[name] ?? 0)) return null;
    if (name === 'ds64') {
      if (container !== 'rf64' || chunk > 0 || length < 24 || bytes.length < 24) return null;
      lengthElsewhere = Number(bytes.readBigUInt64LE(16));
    }
    if (name === 'fmt ') {
      if (shape !== null || bytes.length < CHUNK_BYTES) return null;
      shape = readShape(bytes.subarray(8), length);
      if (shape === null) return null;
    }
    if (name === 'data') {
      if (shape === null || found !== null || (container === 'rf64') !== (length === LENGTH_ELSEWHERE)) return null;
      if (container === 'rf64') length = lengthElsewhere;
      if (length === 0 || length % (shape.channels * shape.bytesPerSample) !== 0) return null;
      if (looksEncoded(await read(offset + 8, Math.min(length, SAMPLE_BYTES)))) return null;
      found = { container, ...shape, dataOffset: offset + 8, dataBytes: length };
    }
    if (offset + 8 + length > status.size) return null;
    offset += 8 + length + (length % 2);
  }
  return null;
}

function containerOf(head: Buffer): PlainWave['container'] | null {
  if (head.toString('latin1', 8, 12) !== 'WAVE') return null;
  const name = head.toString('latin1', 0, 4);
  if (name === 'RIFF') return 'wav';
  return name === 'RF64' || name === 'BW64' ? 'rf64' : null;
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
