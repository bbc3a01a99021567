import { silenceNonsense } from '@chiffchaff/recognizer/audio';

/**
 * Takes apart the endless WAV that ffmpeg writes to a pipe: a header that says how many channels there are, then 32-bit floats,
 * the channels of one moment beside each other.
 */

export interface WavHeader {
  readonly channels: number;
  readonly sampleRate: number;
  /** where the samples begin */
  readonly dataOffset: number;
}

/** ffmpeg's header is 58 to 100 bytes long. */
const MAX_HEADER_BYTES = 4096;

/**
 * @returns null while more bytes are needed
 * @throws Error when these are not the first bytes of a WAV of ffmpeg's
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

/** Bytes that a pipe gives at once. */
const PIPE_BYTES = 65_536;

/** Cuts a byte stream into whole frames of `channels` floats. */
export function createFrameSplitter(channels: number) {
  const frameBytes = channels * Float32Array.BYTES_PER_ELEMENT;
  let buffer = new Uint8Array(PIPE_BYTES + frameBytes);
  /** Bytes of the frames given last, and of the one after them that is not whole. */
  let given = 0;
  let left = 0;
  return {
    /**
     * The whole frames among what came so far; what is left over waits for the next bytes. They are overwritten by the next call.
     *
     * @param bytes copied, and their memory is given back where nothing else lies in it
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
      silenceNonsense(samples);
      return samples;
    },
  };
}

/** Else V8 looks through all its heaps for garbage for every 64 MB of sound: a tenth of the time of an analysis. */
function giveBack({ buffer, byteLength }: Uint8Array): void {
  // Small pieces may lie in a pool that others use.
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}
