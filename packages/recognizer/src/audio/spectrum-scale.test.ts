import { expect, it } from 'vitest';
import { chooseScale, SCALE_FRAMES } from './spectrum-scale.ts';

const hzPerBand = 100;
const bands = 120;
/** Frames of a recording whose noise falls by 30 dB from 0 to 12 kHz, after a hum, with a loud note in one frame of every 25. */
const levels = Float32Array.from({ length: bands * SCALE_FRAMES }, (_, index) => {
  const [band, frame] = [Math.floor(index / SCALE_FRAMES), index % SCALE_FRAMES];
  const noise = -40 - band / 4 + ((frame % 5) - 2) + (band === 0 ? 20 : 0);
  return frame % 25 === 0 && band % 4 === 0 ? noise + 46 : noise;
});

it('The scale of a spectrogram draws as quiet what is less than 6 dB above the median of its band, and as loud the loudest 0.5 %', () => {
  const { background, floor, ceiling } = chooseScale(levels, hzPerBand, 20);
  for (const band of [30, 60, 90]) expect(background[band]).toBeCloseTo(-40 - band / 4, 0);
  expect(background[0]).toBe(-20);
  expect(floor).toBe(6);
  expect(ceiling).toBeGreaterThan(42);
  expect(ceiling).toBeLessThan(48);
});

it('The scale of a spectrogram spans at least 18 dB, so that noise alone is drawn as background', () => {
  const { floor, ceiling } = chooseScale(
    levels.map((level, index) => (index % 25 === 0 ? -60 : level)),
    hzPerBand,
    20,
  );
  expect([floor, ceiling]).toEqual([6, 24]);
});
