import { describe, expect, it } from 'vitest';
import { tone } from '../../testing/fake-wave.ts';
import { createResampler } from './resample.ts';

const TO = 48_000;

/** @param pieces lengths of the pieces to push, repeated */
function resample(samples: Float32Array, from: number, pieces: readonly number[] = [4096]): Float32Array {
  const resampler = createResampler(from, TO);
  if (!resampler) throw new Error('These rates are refused');
  const output: number[] = [];
  for (let at = 0, n = 0; at < samples.length; n++) {
    const length = pieces[n % pieces.length] ?? 1;
    output.push(...resampler.push(samples.subarray(at, at + length)));
    at += length;
  }
  output.push(...resampler.end());
  return Float32Array.from(output);
}

const energyOf = (samples: Float32Array): number => samples.reduce((sum, sample) => sum + sample ** 2, 0) / samples.length;
/** Level of a tone's remainder relative to the tone, in decibels. Leaves out its ends: the sudden start adds other frequencies. */
const levelOf = (output: Float32Array): number => 10 * Math.log10(energyOf(output.subarray(4800, -4800)) / 0.125);

/** Largest difference from the same tone sampled at the target rate. */
function errorOf(output: Float32Array, hertz: number): number {
  const expected = tone(hertz, TO, output.length / TO);
  let worst = 0;
  for (let n = 4800; n < output.length - 4800; n++) worst = Math.max(worst, Math.abs((output[n] ?? 9) - (expected[n] ?? 0)));
  return worst;
}

const rates = [8000, 11_025, 16_000, 22_050, 24_000, 32_000, 44_100, 88_200, 96_000, 192_000, 250_000, 256_000, 384_000];

describe('Resampling to 48 kHz', () => {
  it.each(rates)('from %i Hz keeps a tone in the passband, unshifted, to 100 dB', (rate) => {
    const top = 0.9 * Math.min(rate, TO) * 0.5;
    for (const hertz of [100, 0.5 * top, top]) expect(errorOf(resample(tone(hertz, rate, 0.5), rate), hertz)).toBeLessThan(5e-6);
  });

  it.each(rates)('from %i Hz keeps the duration of the recording, to half a sample', (rate) => {
    for (const length of [1, 7, rate, rate + 1, rate + 131])
      expect(resample(new Float32Array(length), rate).length).toBe(Math.round((length * TO) / rate));
  });

  it.each([88_200, 96_000, 192_000, 384_000])('from %i Hz removes what is above 24 kHz without creating another tone', (rate) => {
    for (const hertz of [24_000, 25_000, 30_000, 0.9 * rate * 0.5])
      expect(levelOf(resample(tone(hertz, rate, 0.5), rate))).toBeLessThan(-110);
  });

  it.each([8000, 22_050, 44_100])('from %i Hz creates no image of a tone above the recorded frequencies', (rate) => {
    const hertz = 0.45 * rate;
    expect(errorOf(resample(tone(hertz, rate, 0.5), rate), hertz)).toBeLessThan(5e-6);
  });

  it('gives the same samples in whatever pieces the recording arrives', () => {
    const sound = Float32Array.from({ length: 20_000 }, (_, n) => Math.sin(n * n * 1e-4));
    const whole = resample(sound, 44_100, [20_000]);
    expect(resample(sound, 44_100, [1, 2, 3000, 5])).toEqual(whole);
  });

  it('leaves 48 kHz unchanged', () => {
    const sound = tone(1000, TO, 0.1);
    expect(resample(sound, TO)).toEqual(sound);
  });

  it('refuses two sampling rates whose conversion would need too much memory', () => {
    expect(createResampler(383_999, TO)).toBeNull();
    expect(createResampler(44_056, TO)).not.toBeNull();
  });
});
