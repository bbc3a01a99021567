import { bytesOf, chunk, little, wave } from '@chiffchaff/survey/testing';

interface WaveShape {
  /** Hz */
  readonly sampleRate: number;
  readonly bits?: number;
  readonly isFloat?: boolean;
  /** −1…1, one array per channel */
  readonly planes: readonly ArrayLike<number>[];
  /** Chunks before the samples. */
  readonly chunks?: readonly Uint8Array[];
}

/** A PCM WAV. */
export function fakeWave({ sampleRate, bits = 16, isFloat = false, planes, chunks = [] }: WaveShape): Uint8Array<ArrayBuffer> {
  const bytes = bits / 8;
  const frames = planes[0]?.length ?? 0;
  const data = new DataView(new ArrayBuffer(frames * planes.length * bytes));
  for (const [channel, plane] of planes.entries()) {
    for (let frame = 0; frame < frames; frame++) write(data, (frame * planes.length + channel) * bytes, plane[frame] ?? 0);
  }
  function write(view: DataView, at: number, sample: number): void {
    if (isFloat) {
      if (bits === 32) view.setFloat32(at, sample, true);
      else view.setFloat64(at, sample, true);
      return;
    }
    const value = Math.round(sample * (2 ** (bits - 1) - 1));
    if (bits === 8) view.setUint8(at, value + 128);
    else for (let byte = 0; byte < bytes; byte++) view.setUint8(at + byte, (value >> (8 * byte)) & 255);
  }
  const blockAlign = planes.length * bytes;
  const format = bytesOf(
    little(isFloat ? 3 : 1, 2),
    little(planes.length, 2),
    little(sampleRate),
    little(sampleRate * blockAlign),
    little(blockAlign, 2),
    little(bits, 2),
  );
  return wave(chunk('fmt ', format), ...chunks, chunk('data', new Uint8Array(data.buffer)));
}

/** A sine tone of half the full amplitude. */
export const tone = (hertz: number, sampleRate: number, seconds: number): Float32Array =>
  Float32Array.from(
    { length: Math.round(sampleRate * seconds) },
    (_, n) => 0.5 * Math.sin((2 * Math.PI * hertz * n) / sampleRate),
  );
