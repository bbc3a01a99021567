import { replaceInvalidSamples } from '@chiffchaff/recognizer/audio';

/** Parses the endless WAV that ffmpeg writes to a pipe: a header with the number of channels, then interleaved 32-bit floats. */

export interface WavHeader {
  readonly channels: number;
  readonly sampleRate: number;
  /** offset of the samples */
  readonly dataOffset: number;
}

/** ffmpeg's header is 58 to 100 bytes long. */
const MAX_HEADER_BYTES = 4096;

/**
 * @returns null while more bytes are needed
 * @throws Error when these are not the first bytes of a WAV written by ffmpeg
 */
export function readWavHeader(bytes: Uint8Array): WavHeader | null {
  const header = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, MAX_HEADER_BYTES));
  const data = header.indexOf('data');
  const isOther = (at: number, id: string): boolean => header.length >= at + 4 && header.toString('latin1', at, at + 4) !== id;
  // ffmpeg writes the format first.
  if (isOther(0, 'RIFF') || isOther(12, 'fmt ') || (data < 0 && header.length === MAX_HEADER_BYTES)) {
    throw new Error('The decoder wrote something else than WAV.');
  }
  if (data < 0 || header.length < data + 8) return null;
  return { channels: header.readUInt16LE(22), sampleRate: header.readUInt32LE(24), dataOffset: data + 8 };
}

/** Most bytes that one read of a pipe returns. */
const PIPE_BYTES = 65_536;

/** Splits a byte stream into whole frames of `channels` floats. */
export function createFrameSplitter(channels: number) {
  const frameBytes = channels * Float32Array.BYTES_PER_ELEMENT;
  let buffer = new Uint8Array(PIPE_BYTES + frameBytes);
  /** Bytes of the frames returned last (`given`), and of the incomplete frame after them (`left`). */
  let given = 0;
  let left = 0;
  return {
    /**
     * Returns the frames that are complete and keeps the rest for the next call, which overwrites what was returned.
     *
     * @param bytes are copied, and their memory is released unless something else shares it
     */
    push(bytes: Uint8Array): Float32Array {
      const total = left + bytes.length;
      const unfinished = buffer.subarray(given, given + left);
      if (total > buffer.length) buffer = new Uint8Array(total);
      buffer.set(unfinished);
      buffer.set(bytes, left);
      giveBack(bytes);
      left = total % frameBytes;
      given = total - left;
      const samples = new Float32Array(buffer.buffer, 0, given / Float32Array.BYTES_PER_ELEMENT);
      replaceInvalidSamples(samples);
      return samples;
    },
  };
}

/** Releases memory at once. Otherwise V8 collects garbage in all its heaps for every 64 MB of audio, a tenth of the time of an analysis. */
function giveBack({ buffer, byteLength }: Uint8Array): void {
  // Small pieces may be in a pool that others share.
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}
