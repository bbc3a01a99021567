import { be16, concat, zeros } from './bytes.ts';

export interface SilentFlacShape {
  readonly seconds: number;
  readonly channels?: number;
  readonly sampleRate?: number;
  /** Number of samples in the header, where 0 means unknown. Default: the true number. */
  readonly statedSamples?: number;
  readonly statedSampleRate?: number;
}

const BLOCK = 65_535;

/** A FLAC of digital silence: a dozen bytes for more than a second of audio. Source: RFC 9639. */
export function makeSilentFlac({ seconds, channels = 1, sampleRate = 48_000, ...stated }: SilentFlacShape): Uint8Array {
  const blocks = Math.ceil((seconds * sampleRate) / BLOCK);
  const parts: Uint8Array[] = [
    makeStreamInfo({
      channels,
      sampleRate: stated.statedSampleRate ?? sampleRate,
      samples: stated.statedSamples ?? blocks * BLOCK,
    }),
  ];
  for (let block = 0; block < blocks; block++) parts.push(makeSilentFrame(block, channels));
  return concat(...parts);
}

/** The signature and the only mandatory header block. */
export function makeStreamInfo({
  channels = 1,
  sampleRate = 48_000,
  samples = 0,
}: {
  readonly channels?: number;
  readonly sampleRate?: number;
  readonly samples?: number;
}): Uint8Array {
  // 20 bits of rate, 3 of channels − 1, 5 of bits − 1, 36 of samples.
  const packed = (BigInt(sampleRate) << 44n) | (BigInt(channels - 1) << 41n) | (15n << 36n) | BigInt(samples);
  const shape = Buffer.alloc(8);
  shape.writeBigUInt64BE(packed & 0xffff_ffff_ffff_ffffn);
  return concat('fLaC', [0x80, 0, 0, 34], be16(BLOCK), be16(BLOCK), zeros(6), shape, zeros(16));
}

function makeSilentFrame(index: number, channels: number): Uint8Array {
  // Fixed block size, 16-bit block size at the end of the header, rate and bits as in the file's header.
  const header = concat([0xff, 0xf8, 0x70, (channels - 1) << 4], codedNumber(index), be16(BLOCK - 1));
  const withCheck = concat(header, [crc(header, 8, 0x07)]);
  // One constant sub-frame for each channel: a type byte, and the value 0 in 16 bits.
  const frame = concat(withCheck, zeros(3 * channels));
  return concat(frame, be16(crc(frame, 16, 0x8005)));
}

/** Like UTF-8. */
function codedNumber(value: number): readonly number[] {
  if (value < 0x80) return [value];
  if (value < 0x800) return [0xc0 | (value >> 6), 0x80 | (value & 63)];
  return [0xe0 | (value >> 12), 0x80 | ((value >> 6) & 63), 0x80 | (value & 63)];
}

function crc(bytes: Uint8Array, width: 8 | 16, polynomial: number): number {
  const top = 1 << (width - 1);
  let value = 0;
  for (const byte of bytes) {
    value ^= byte << (width - 8);
    for (let bit = 0; bit < 8; bit++) value = (value & top ? (value << 1) ^ polynomial : value << 1) & (2 ** width - 1);
  }
  return value;
}
