import { describe, expect, it } from 'vitest';
import { createFrontEnd, type FrontEndConstants } from './front-end.ts';

const SAMPLES = 64 + 4 * 20;

const hann = (length: number): number[] => Array.from({ length }, (_, n) => 0.5 - 0.5 * Math.cos((2 * Math.PI * n) / length));

/** Frames of 64 and 32 samples, both of them five in a clip, which is odd. */
const constants: FrontEndConstants = {
  floor: 1e-6,
  centre: 0.5,
  factor: 2,
  frames: 5,
  branches: [
    {
      step: 20,
      window: hann(64),
      mel: [
        { firstBin: 0, weights: [0.5, 1] },
        { firstBin: 1, weights: [0.25, 1, 0.5, 2] },
      ],
      exponent: 0.23,
      scale: 0.2,
      shift: -0.6,
    },
    {
      step: 28,
      window: hann(32),
      mel: [
        { firstBin: 3, weights: [1] },
        { firstBin: 2, weights: [0.5, 0.25, 1] },
      ],
      exponent: 0.19,
      scale: 3.1,
      shift: -0.3,
    },
  ],
};

/** The same from its definition, with a sum for each bin. */
function byDefinition(clip: Float32Array): number[] {
  const { floor, centre, factor, frames, branches } = constants;
  const least = Math.min(...clip);
  const range = Math.max(...clip) - least + floor;
  const scaled = [...clip].map((sample) => ((sample - least) / range - centre) * factor);
  return [1, 0].flatMap((band) =>
    Array.from({ length: frames }, (_, frame) =>
      branches.map(({ step, window, mel, exponent, scale, shift }) => {
        const { firstBin = 0, weights = [] } = mel[band] ?? {};
        const real = (bin: number): number =>
          window.reduce((sum, factor, n) => {
            const angle = (2 * Math.PI * bin * n) / window.length;
            return sum + factor * (scaled[frame * step + n] ?? Number.NaN) * Math.cos(angle);
          }, 0);
        const sum = weights.reduce((total, weight, index) => total + weight * real(firstBin + index), 0);
        return (sum * sum) ** exponent * scale + shift;
      }),
    ).flat(),
  );
}

function spectrogramOf(clip: Float32Array): number[] {
  const spectrogram = new Float32Array(2 * constants.frames * constants.branches.length);
  createFrontEnd(constants, SAMPLES)(clip, spectrogram);
  return [...spectrogram];
}

describe('The spectrogram that the model gets in a browser (`createFrontEnd`)', () => {
  it.for([
    ['noise', (n: number) => ((n * n * 7919 + n * 31) % 1009) / 1009 - 0.5],
    ['a faint tone with an offset', (n: number) => 0.3 + 1e-3 * Math.sin(n)],
  ] as const)('equals the sums that define it, for %s', ([, sample]) => {
    const clip = Float32Array.from({ length: SAMPLES }, (_, n) => sample(n));
    const expected = byDefinition(clip);
    for (const [index, value] of spectrogramOf(clip).entries()) expect(value).toBeCloseTo(expected[index] ?? Number.NaN, 4);
  });

  it('has finite numbers for digital silence, the same ones each time', () => {
    const [once, again] = [spectrogramOf(new Float32Array(SAMPLES)), spectrogramOf(new Float32Array(SAMPLES))];
    expect(once.every(Number.isFinite)).toBe(true);
    expect(again).toEqual(once);
  });

  it('raises numbers to a power as Math.pow does, from tiny to huge ones', () => {
    const branch = { step: 1, window: hann(32), mel: [{ firstBin: 1, weights: [1] }], exponent: 0.2295, scale: 1, shift: 0 };
    for (let power = -15; power <= 15; power++) {
      const scaled = { ...branch, mel: [{ firstBin: 1, weights: [1.37 * 10 ** power] }] };
      const column = new Float32Array(2);
      createFrontEnd({ ...constants, frames: 1, branches: [branch, scaled] }, 32)(
        Float32Array.from({ length: 32 }, (_, n) => Math.sin(n)),
        column,
      );
      const [one = 0, raised = 0] = column;
      expect(raised / one / (1.37 * 10 ** power) ** (2 * 0.2295)).toBeCloseTo(1, 5);
    }
  });
});
