/** Enough for the first frame, which may hold metadata instead of audio. */
const FRAME_BYTES = 2048;
/** Delay of the decoder, on top of the encoder's. */
const DECODER_SAMPLES = 529;
const CODERS = ['LAME', 'Lavf', 'Lavc'];

/**
 * Length of the silence that an MP3 encoder puts before the recording, from its Xing or Info frame
 * (http://gabriel.mp3-tech.org/mp3infotag.html); ffmpeg removes the same.
 *
 * @returns samples of one channel, at the recording's own rate
 */
export async function mp3Delay(file: Blob): Promise<number> {
  const read = async (offset: number) => new Uint8Array(await file.slice(offset, offset + FRAME_BYTES).arrayBuffer());
  const letters = (bytes: Uint8Array, at: number, length: number) => String.fromCharCode(...bytes.subarray(at, at + length));
  const start = await read(0);
  // The length of an ID3 tag has seven bits per byte.
  const tagBytes =
    letters(start, 0, 3) === 'ID3' ? 10 + start.subarray(6, 10).reduce((size, byte) => size * 128 + (byte & 127), 0) : 0;
  const frame = tagBytes === 0 ? start : await read(tagBytes);
  const info = /Xing|Info/.exec(letters(frame, 0, 200))?.index;
  if (info === undefined) return 0;
  const flags = frame[info + 7] ?? 0;
  const coder = info + 8 + (flags & 1 ? 4 : 0) + (flags & 2 ? 4 : 0) + (flags & 4 ? 100 : 0) + (flags & 8 ? 4 : 0);
  if (!CODERS.includes(letters(frame, coder, 4))) return 0;
  const [high = 0, low = 0] = frame.subarray(coder + 21);
  return high * 16 + (low >> 4) + DECODER_SAMPLES;
}
