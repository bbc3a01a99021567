import { describe, expect, it } from 'vitest';
import { lowPassed, noise, rumble, samplesOf, sumOf, tone, type Wave } from '../testing/fake-sound.ts';
import { createSteadyNoiseTest } from './steady-noise.ts';

const RATE = 48_000;
const SECONDS = 3;
const steadinessOf = createSteadyNoiseTest();

/** As recorders with 16 bits write it. */
const rounded = (samples: Float32Array): Float32Array => samples.map((sample) => Math.round(sample * 32_768) / 32_768);
const clipOf = (wave: Wave): Float32Array => rounded(samplesOf(wave, SECONDS, RATE));

/** Noise whose power falls by 3 dB an octave: rumbles of many corner frequencies. */
const pink = (level: number): Wave =>
  sumOf(...[40, 160, 640, 2560, 10_240].map((hertz, index) => rumble(hertz, level / 2 ** (index / 2), RATE, index + 1)));
/** Noise whose power falls by 6 dB an octave. */
const brown = (level: number): Wave => {
  const next = noise(level / 10);
  let sum = 0;
  return () => (sum = 0.998 * sum + next(0));
};
const hum = (level: number): Wave => sumOf(...[50, 100, 150, 250, 350].map((hertz) => tone(hertz, level / 2)), noise(level / 50));
/** Wind, which rises and falls as a whole. */
const gusty =
  (make: (level: number) => Wave) =>
  (level: number): Wave => {
    const next = make(level);
    return (at) => (0.1 + 0.9 * Math.sin(2 * Math.PI * 0.3 * at) ** 2) * next(at);
  };
const KINDS: readonly (readonly [string, (level: number) => Wave])[] = [
  ['white noise', (level) => noise(level)],
  ['pink noise', pink],
  ['brown noise', brown],
  ['mains hum', hum],
  ["a recorder's own noise", (level) => sumOf(noise(level), rumble(200, level / 3, RATE, 5), tone(8000, level / 5))],
];
const WINDS: typeof KINDS = [
  ['gusts of wind below 400 Hz', gusty((level) => rumble(400, level, RATE, 3))],
  ['gusts of wind at all frequencies', gusty(pink)],
];
const LEVELS = [0.001, 0.003, 0.01, 0.05, 0.3];

/** Pulses of a tone, as a bird that calls twice in the clip. */
const calls =
  (hertz: number, amplitude: number, seconds = 0.15): Wave =>
  (at) =>
    at % 1.4 > 0.5 && at % 1.4 < 0.5 + seconds ? amplitude * Math.sin(2 * Math.PI * hertz * at) : 0;

const drum = noise(0.05, 9);

describe('The test for steady noise', () => {
  it.each(KINDS.flatMap(([name, make]) => LEVELS.map((level) => [name, level, make(level)] as const)))(
    'is passed by %s at a level of %f',
    (_name, _level, wave) => {
      expect(steadinessOf(clipOf(wave))).toBe('steady');
    },
  );

  it.each(WINDS.flatMap(([name, make]) => LEVELS.map((level) => [name, level, make(level)] as const)))(
    'recognises %s at a level of %f as wind',
    (_name, _level, wave) => {
      expect(steadinessOf(clipOf(wave))).toBe('windy');
    },
  );

  it('is passed by noise that ends within the clip, which is filled with zeros', () => {
    for (const seconds of [1, 1.5, 2.9]) {
      const clip = new Float32Array(SECONDS * RATE);
      clip.set(rounded(samplesOf(noise(0.02), seconds, RATE)));
      expect(steadinessOf(clip), `${seconds} s`).toBe('steady');
    }
  });

  it('is passed by noise with nothing above a frequency, as from a low sampling rate', () => {
    expect(steadinessOf(rounded(lowPassed(samplesOf(noise(0.05), SECONDS, RATE), 11_000, RATE)))).toBe('steady');
  });

  it.each([
    ['a call well below the noise', sumOf(noise(0.03), calls(4000, 0.008))],
    ['a call in hum', sumOf(hum(0.1), calls(3000, 0.001))],
    ['hoots in gusts of wind', sumOf(gusty((level) => rumble(400, level, RATE, 3))(0.03), calls(350, 0.06, 0.4))],
    ['drumming in gusts of wind', sumOf(gusty(pink)(0.01), (at) => (at % 1.5 < 0.6 && at % 0.06 < 0.02 ? drum(at) : 0))],
    ['a short click', sumOf(noise(0.01), (at) => (Math.abs(at - 1) < 0.0005 ? 0.2 : 0))],
    ['a song that rises', sumOf(noise(0.003), (at) => 0.02 * Math.sin(2 * Math.PI * (2000 + 800 * at) * at))],
  ] as const)('is not passed by %s', (_what, wave) => {
    expect(steadinessOf(clipOf(wave))).not.toBe('steady');
  });

  it('calls noise nearly steady if only its high bands come and go, as after a lossy codec', () => {
    const hiss = lowPassed(samplesOf(noise(0.05), SECONDS, RATE), 12_000, RATE);
    const all = samplesOf(noise(0.05), SECONDS, RATE);
    const gated = (from: number) => all.map((sample, at) => (at % 12_000 < from ? sample : (hiss[at] ?? 0)));
    expect(steadinessOf(rounded(gated(6000)))).toBe('nearlySteady');
    expect(steadinessOf(rounded(all.map((sample, at) => (at % 12_000 < 6000 ? sample : 0))))).toBe('other');
  });

  it('is not passed by sound too short to judge', () => {
    expect(steadinessOf(samplesOf(noise(0.1), 0.2, RATE))).toBe('other');
    expect(steadinessOf(new Float32Array(SECONDS * RATE))).toBe('other');
  });
});
