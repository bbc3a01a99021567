import { type ReadBytes, readWaveChunks } from '@chiffchaff/recognizer/audio';
import { openRecording } from './open-recording.ts';

/** How to write anew a file that ffmpeg would read wrongly or slowly: the header, then the sound. */
export interface MendedFile {
  readonly header: Uint8Array;
  readonly dataOffset: number;
  /** Where samples end or quiet parts were left out. */
  readonly gaps: readonly Gap[];
}

interface Gap {
  /** in the file */
  readonly offset: number;
  /** of silence to put there */
  readonly bytes: number;
  /** of the file that are no samples */
  readonly skippedBytes: number;
}

/**
 * With a trigger, an AudioMoth leaves out quiet parts. A marker of 512 bytes says how many blocks of as many bytes it stands for, in 32
 * samples of 1 or −1, the lowest bit first; the others are zero. Source: `encodeCompressionBuffer` in AudioMoth-Firmware-Basic.
 */
const BLOCK_BYTES = 512;
const MARKER_BITS = 32;
const PIECE_BYTES = 1_048_576;
const LONGEST_FORMAT = 1024;
/** More than a recorder can make of 4 GB; bounds the memory for a malicious file. */
const MOST_GAPS = 200_000;
/** Most bytes of samples that a WAV file can state; no AudioMoth records more at once. */
const MOST_BYTES = 0xffff_ffff;
const silence = new Uint8Array(PIECE_BYTES);

/**
 * Finds out how to mend a WAV file: one with a wrong length of the samples, samples in several chunks, or a triggered recording of an AudioMoth.
 *
 * @returns null for a file that ffmpeg reads rightly, or that is no WAV file
 */
export async function mendWave(size: number, read: ReadBytes): Promise<MendedFile | null> {
  const wave = await readWaveChunks(size, read);
  const format = wave?.chunks.find(({ name }) => name === 'fmt ');
  if (!wave?.data || !format || format.length > LONGEST_FORMAT) return null;
  const { offset: dataOffset } = wave.data;
  const parts = wave.chunks
    .filter(({ name, length }) => name === 'data' && length > 0)
    .map(({ offset, length }) => ({ offset, end: Math.min(size, offset + length) }));
  const gaps: Gap[] = [];
  for (const [index, { offset, end }] of parts.entries()) {
    if (wave.isTriggered) gaps.push(...(await findGaps(read, offset, end)));
    const next = parts[index + 1];
    if (next) gaps.push({ offset: end, bytes: 0, skippedBytes: next.offset - end });
  }
  const end = parts.at(-1)?.end ?? dataOffset;
  const dataBytes = gaps.reduce((sum, { bytes, skippedBytes }) => sum + bytes - skippedBytes, end - dataOffset);
  if (gaps.length === 0 ? !wave.isWrong : dataBytes > MOST_BYTES) return null;
  const formatChunk = await read(format.offset - 8, 8 + format.length);
  const header = Buffer.concat([Buffer.from('RIFF\xff\xff\xff\xffWAVE', 'latin1'), formatChunk, Buffer.from('data1234')]);
  header.writeUInt32LE(Math.min(dataBytes, MOST_BYTES), header.length - 4);
  return { header, dataOffset, gaps: [...gaps, { offset: end, bytes: 0, skippedBytes: 0 }] };
}

async function findGaps(read: ReadBytes, start: number, end: number): Promise<Gap[]> {
  const gaps: Gap[] = [];
  let offset = start;
  while (offset + BLOCK_BYTES <= end && gaps.length < MOST_GAPS) {
    const bytes = await read(offset, Math.min(PIECE_BYTES, end - offset));
    if (bytes.length < BLOCK_BYTES) break;
    const samples = new Int16Array(new Uint8Array(bytes).buffer, 0, bytes.length >> 1);
    let at = 0;
    for (; at + BLOCK_BYTES / 2 <= samples.length; at++) {
      const blocks = blocksLeftOut(samples, at);
      if (blocks === 0) continue;
      gaps.push({ offset: offset + 2 * at, bytes: blocks * BLOCK_BYTES, skippedBytes: BLOCK_BYTES });
      at += BLOCK_BYTES / 2 - 1;
    }
    offset += 2 * at;
  }
  return gaps;
}

/** Blocks that the marker at an index stands for; 0 if there is no marker. */
function blocksLeftOut(samples: Int16Array, at: number): number {
  let blocks = 0;
  for (let bit = 0; bit < BLOCK_BYTES / 2; bit++) {
    const value = samples[at + bit];
    if (bit < MARKER_BITS ? value !== 1 && value !== -1 : value !== 0) return 0;
    if (value === 1) blocks += 2 ** bit;
  }
  return blocks;
}

/** The bytes of a mended file, in pieces; fewer than its header says if the file has become shorter. @throws when it cannot be read */
export async function* mendedBytes(path: string, { header, dataOffset, gaps }: MendedFile): AsyncGenerator<Uint8Array> {
  await using file = await openRecording(path);
  yield header;
  let at = dataOffset;
  for (const { offset, bytes, skippedBytes } of gaps) {
    while (at < offset) {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(Math.min(PIECE_BYTES, offset - at)), { position: at });
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
      at += bytesRead;
    }
    for (let left = bytes; left > 0; left -= PIECE_BYTES) yield silence.subarray(0, left);
    at = offset + skippedBytes;
  }
}
