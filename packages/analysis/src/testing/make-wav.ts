import { concat, le16, le32, le64 } from './bytes.ts';

export interface WavShape {
  readonly seconds?: number;
  readonly sampleRate?: number;
  readonly channels?: number;
  /** Bits per sample; 32 or 64 with `float`. */
  readonly bits?: number;
  readonly float?: boolean;
  /** Value (−1…1) at a time in a channel; default: a rising tone. */
  readonly sample?: (seconds: number, channel: number) => number;
  /** Bit mask of the loudspeakers that the channels are for; makes the format extensible. */
  readonly speakers?: number;
  readonly isRf64?: boolean;
  /** Chunks before and after the samples. */
  readonly before?: readonly Uint8Array[];
  readonly after?: readonly Uint8Array[];
  /** What the header states, where that differs from the truth. */
  readonly stated?: {
    readonly formatTag?: number;
    readonly sampleRate?: number;
    readonly channels?: number;
    readonly bits?: number;
    readonly validBits?: number;
    readonly blockAlign?: number;
    readonly dataBytes?: number;
    readonly riffBytes?: number;
    readonly fmtBytes?: number;
    /** in the `ds64` chunk of RF64 */
    readonly longDataBytes?: number;
  };
}

/** A tone that rises from 2 to 5 kHz every second, like birdsong. */
export const risingTone = (seconds: number): number =>
  0.5 * Math.sin(2 * Math.PI * (2000 + 1500 * (seconds % 1)) * (seconds % 1));

/** A chunk of a RIFF file, padded to an even length. */
export const riffChunk = (name: string, content: Uint8Array | string): Uint8Array =>
  concat(name, le32(content.length), content, content.length % 2 === 0 ? '' : '\0');

/** A WAV of any shape, with a header that may lie. */
export function makeWav(shape: WavShape = {}): Uint8Array {
  const { seconds = 1, sampleRate = 48_000, channels = 1, bits = 16, float = false, sample = risingTone, stated = {} } = shape;
  const { speakers, isRf64 = false, before = [], after = [] } = shape;
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
  const tag = float ? 3 : 1;
  const statedBits = stated.bits ?? bits;
  const fmt = concat(
    le16(stated.formatTag ?? (speakers === undefined ? tag : 0xfffe)),
    le16(stated.channels ?? channels),
    le32(statedRate),
    le32(Math.min(0xffff_ffff, statedRate * blockAlign)),
    le16(blockAlign),
    le16(statedBits),
    ...(speakers === undefined
      ? []
      : [le16(22), le16(stated.validBits ?? statedBits), le32(speakers), le16(tag), '\0\0\0\0\x10\0\x80\0\0\xaa\0\x38\x9b\x71']),
  );
  const dataBytes = stated.dataBytes ?? (isRf64 ? 0xffff_ffff : data.length);
  const beforeData = concat(
    'WAVE',
    ...(isRf64 ? ['ds64', le32(28), le64(0), le64(stated.longDataBytes ?? data.length), le64(0), le32(0)] : []),
    'fmt ',
    le32(stated.fmtBytes ?? fmt.length),
    fmt,
    ...before,
    'data',
    le32(dataBytes),
  );
  const behindData = concat(after.length > 0 && data.length % 2 === 1 ? '\0' : '', ...after);
  const riffBytes = stated.riffBytes ?? (isRf64 ? 0xffff_ffff : beforeData.length + data.length + behindData.length);
  return concat(isRf64 ? 'RF64' : 'RIFF', le32(riffBytes), beforeData, data, behindData);
}

function writeSample(data: Buffer, offset: number, value: number, bits: number, float: boolean): void {
  if (float) {
    if (bits === 64) data.writeDoubleLE(value, offset);
    else data.writeFloatLE(value, offset);
    return;
  }
  const whole = Math.round(Math.max(-1, Math.min(1, value)) * (2 ** (bits - 1) - 1));
  // 8-bit WAV is unsigned, all wider formats are signed.
  if (bits === 8) data.writeUInt8(whole + 128, offset);
  else data.writeIntLE(whole, offset, bits / 8);
}
