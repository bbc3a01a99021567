import { readUint32 } from './bytes.ts';

/**
 * Length in bytes of the frame at `offset`, if there is one. Streams of bare frames start with no signature, only with a sync word that
 * also occurs in random bytes. Only a chain counts: the next frame must start where the header of each says, and be valid.
 *
 * Sources: ISO/IEC 11172-3 and 13818-3 (MPEG audio), ISO/IEC 13818-7 (ADTS), ETSI TS 102 366 (AC-3).
 */
export type FrameLength = (bytes: Uint8Array, offset: number) => number | undefined;

/** kbit/s by the header's bit-rate index; 0 is "free", which is not used in practice. */
const MPEG1_LAYER1 = [0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448];
const MPEG1_LAYER2 = [0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384];
const MPEG1_LAYER3 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
const MPEG2_LAYER1 = [0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256];
const MPEG2_LAYER23 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
const MPEG1_RATES = [44_100, 48_000, 32_000];

/** Length in bytes of the MPEG audio frame (layer 1, 2 or 3) that starts at `offset`, if one does. */
export const mpegAudioFrameLength: FrameLength = (bytes, offset) => {
  const header = readUint32(bytes, offset);
  if (header === undefined || header >>> 21 !== 0x7ff) return undefined;
  const version = (header >>> 19) & 3; // 0 = MPEG 2.5, 2 = MPEG 2, 3 = MPEG 1
  const layer = 4 - ((header >>> 17) & 3);
  const baseRate = MPEG1_RATES[(header >>> 10) & 3];
  if (version === 1 || layer === 4 || baseRate === undefined) return undefined;
  const isMpeg1 = version === 3;
  const sampleRate = isMpeg1 ? baseRate : baseRate / (version === 2 ? 2 : 4);
  const table = isMpeg1 ? [MPEG1_LAYER1, MPEG1_LAYER2, MPEG1_LAYER3][layer - 1] : layer === 1 ? MPEG2_LAYER1 : MPEG2_LAYER23;
  const bitRate = (table?.[(header >>> 12) & 15] ?? 0) * 1000;
  if (bitRate === 0) return undefined;
  const padding = (header >>> 9) & 1;
  if (layer === 1) return (Math.floor((12 * bitRate) / sampleRate) + padding) * 4;
  const samplesPerByteRate = layer === 3 && !isMpeg1 ? 72 : 144;
  return Math.floor((samplesPerByteRate * bitRate) / sampleRate) + padding;
};

/** Length in bytes of the ADTS (bare AAC) frame that starts at `offset`, if one does. */
export const adtsFrameLength: FrameLength = (bytes, offset) => {
  const header = readUint32(bytes, offset);
  const rest = readUint32(bytes, offset + 3);
  if (header === undefined || rest === undefined) return undefined;
  if (header >>> 20 !== 0xfff || ((header >>> 17) & 3) !== 0 || ((header >>> 10) & 15) > 12) return undefined;
  const length = (rest >>> 13) & 0x1fff;
  return length >= 7 ? length : undefined;
};

const AC3_KBITS = [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384, 448, 512, 576, 640];

/** Length in bytes of the AC-3 frame that starts at `offset`, if one does. */
export const ac3FrameLength: FrameLength = (bytes, offset) => {
  const header = readUint32(bytes, offset);
  const sizes = bytes[offset + 4];
  const stream = bytes[offset + 5];
  if (header === undefined || sizes === undefined || stream === undefined) return undefined;
  if (header >>> 16 !== 0x0b77 || stream >>> 3 > 10) return undefined;
  const kbits = AC3_KBITS[(sizes & 63) >>> 1];
  if (kbits === undefined) return undefined;
  switch (sizes >>> 6) {
    case 0:
      return kbits * 4;
    case 1:
      return 2 * (Math.floor((kbits * 320) / 147) + (sizes & 1));
    case 2:
      return kbits * 6;
    default:
      return undefined;
  }
};

/**
 * Whether `wanted` frames follow one another from `offset`. If it `mayEnd`, a chain that runs out of bytes counts when it holds two frames,
 * or when its only frame ends exactly at the end.
 */
export function isFrameChain(
  bytes: Uint8Array,
  offset: number,
  wanted: number,
  frameLength: FrameLength,
  mayEnd = true,
): boolean {
  let at = offset;
  for (let found = 0; found < wanted; found++) {
    const length = frameLength(bytes, at);
    if (length === undefined) {
      const ranOut = at + 8 > bytes.length;
      return mayEnd && ranOut && (found >= 2 || (found === 1 && at === bytes.length));
    }
    at += length;
  }
  return true;
}
