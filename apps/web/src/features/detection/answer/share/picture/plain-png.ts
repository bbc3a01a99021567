/**
 * Chunks that an image needs. Others that browsers add may reveal something about the device: resolution, times, text, colour profile,
 * EXIF.
 */
const NEEDED = new Set(['IHDR', 'PLTE', 'tRNS', 'IDAT', 'IEND']);
const SIGNATURE_BYTES = 8;
/** length, type and checksum of a chunk */
const FRAME_BYTES = 12;

/**
 * Strips everything but the image from a PNG.
 *
 * @throws RangeError when it is not a complete PNG
 */
export function plainPng(png: Uint8Array): Uint8Array<ArrayBuffer> {
  const view = new DataView(png.buffer, png.byteOffset, png.byteLength);
  const kept: Uint8Array[] = [png.subarray(0, SIGNATURE_BYTES)];
  for (let at = SIGNATURE_BYTES; at < png.length; ) {
    const end = at + FRAME_BYTES + view.getUint32(at);
    const type = String.fromCharCode(...png.subarray(at + 4, at + 8));
    if (end > png.length) throw new RangeError('The PNG ends within a chunk');
    if (NEEDED.has(type)) kept.push(png.subarray(at, end));
    at = end;
  }
  const whole = new Uint8Array(kept.reduce((sum, { length }) => sum + length, 0));
  let written = 0;
  for (const part of kept) {
    whole.set(part, written);
    written += part.length;
  }
  return whole;
}
