import { concat, le16, le32 } from './bytes.ts';

export interface WavShape {
  readonly seconds?: number;
  readonly sampleRate?: number;
  readonly channels?: number;
  /** Bits of one sample; 32 and 64 with `float`. */
  readonly bits?: number;
  readonly float?: boolean;
  /** −1…1 at a moment in a channel; a rising tone by default */
  readonly sample?: (seconds: number, channel: number) => number;
  /** What the header says, where that differs from what is there. */
  readonly stated?: {
    readonly formatTag?: number;
    readonly sampleRate?: number;
    readonly channels?: number;
    readonly bits?: number;
    readonly blockAlign?: number;
    readonly dataBytes?: number;
    readonly riffBytes?: number;
    readonly fmtBytes?: number;
  };
}

/** A tone that rises from 2 to 5 kHz every second, as birds do. */
export const risingTone = (seconds: number): number =>
  0.5 * Math.sin(2 * Math.PI * (2000 + 1500 * (seconds % 1)) * (seconds % 1));

/** A WAV of any shape, true or not. */
export function makeWav(shape: WavShape = {}): Uint8Array {
  const { seconds = 1, sampleRate = 48_000, channels = 1, bits = 16, float = false, sample = risingTone, stated = {} } = shape;
  const frames = Math.round(seconds * sampleRate);
  const bytesPerSample = bits / 8;
  const data = Buffer.alloc(frames * channels * bytesPerSample);
  for (let frame = 0; frame < frames; frame++) {
    for (let channel = 0; channel < channels; channel++) {
      const offset = (frame * channels + channel) * bytesPerSample;
      writeSample(data, offset, sample(frame / sampleRate, channel), bits, float);
    }
  }
  const statedRate = stated.sampleRate ?? sampleRate;
  const blockAlign = stated.blockAlign ?? channels * bytesPerSample;
  const fmt = concat(
    le16(stated.formatTag ?? (float ? 3 : 1)),
    le16(stated.channels ?? channels),
    le32(statedRate),
    le32(Math.min(0xffff_ffff, statedRate * blockAlign)),
    le16(blockAlign),
    le16(stated.bits ?? bits),
  );
  return concat(
    'RIFF',
    le32(stated.riffBytes ?? 36 + data.length),
    'WAVE',
    'fmt ',
    le32(stated.fmtBytes ?? fmt.length),
    fmt,
    'data',
    le32(stated.dataBytes ?? data.length),
    data,
  );
}

function writeSample(data: Buffer, offset: number, value: number, bits: number, float: boolean): void {
  if (float) {
    if (bits === 64) data.writeDoubleLE(value, offset);
    else data.writeFloatLE(value, offset);
    return;
  }
  const whole = Math.round(Math.max(-1, Math.min(1, value)) * (2 ** (bits - 1) - 1));
  // 8-bit WAV is unsigned, all wider ones are signed.
  if (bits === 8) data.writeUInt8(whole + 128, offset);
  else data.writeIntLE(whole, offset, bits / 8);
}
