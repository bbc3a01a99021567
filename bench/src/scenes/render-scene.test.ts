import { expect, it } from 'vitest';
import { createChance } from '../harness/random.ts';
import type { Scene, SceneBird } from './draw-scenes.ts';
import { renderScene } from './render-scene.ts';

const SAMPLE_RATE = 16_000;

/** A tone that swells and fades within the middle one of five seconds. */
const tone = (hz: number): Float32Array =>
  Float32Array.from({ length: 5 * SAMPLE_RATE }, (_, n) => {
    const fromMiddle = n / SAMPLE_RATE - 2.5;
    const level = Math.abs(fromMiddle) < 0.5 ? Math.cos(Math.PI * fromMiddle) : 0;
    return 0.2 * level * Math.sin(2 * Math.PI * hz * fromMiddle);
  });
const chance = createChance(1);
const hiss = Float32Array.from({ length: 5 * SAMPLE_RATE }, () => 0.02 * (chance.next() - 0.5));
const files: Readonly<Record<string, Float32Array>> = { low: tone(2000), high: tone(5000), alsoLow: tone(2010), hiss };
const decode = async (file: string) => files[file] ?? new Float32Array(0);

const bird = (file: string, label: number, more: Partial<SceneBird> = {}): SceneBird => ({
  file,
  label,
  heard: [{ startSeconds: 1, seconds: 3 }],
  decibels: 0,
  lowPassHz: null,
  echoSeconds: null,
  ...more,
});
const scene = (birds: readonly SceneBird[], more: Partial<Scene> = {}): Scene => ({
  ...{ name: 'made', maker: 'excerpts', place: 0, seconds: 6, background: null, noise: null, peakDecibels: -6 },
  birds,
  ...more,
});
const render = (birds: readonly SceneBird[], more?: Partial<Scene>) => renderScene(scene(birds, more), SAMPLE_RATE, decode);
const levelFrom = (samples: Float32Array, from: number, to: number) => {
  const part = samples.subarray(from * SAMPLE_RATE, to * SAMPLE_RATE);
  return 10 * Math.log10(part.reduce((sum, sample) => sum + sample ** 2, 0) / part.length + 1e-12);
};

it('A test scene has the planned length and peak, and the loudest part of each recording at its planned time', async () => {
  const { samples } = await render([bird('low', 1)]);
  expect(samples).toHaveLength(6 * SAMPLE_RATE);
  expect(samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0)).toBeCloseTo(0.5, 2);
  // Three seconds from 1 s on; the tone is in the middle of them.
  expect(levelFrom(samples, 2.1, 2.9)).toBeGreaterThan(-12);
  expect(levelFrom(samples, 3.3, 6)).toBeLessThan(-60);
});

it.each([
  ['as loud as another in the same band', -1, 'alsoLow', [1, 2]],
  ['20 dB below another in the same band', -20, 'alsoLow', [1]],
  ['20 dB below another in a band of its own', -20, 'high', [1, 2]],
])('In a test scene whose bird 2 is %s (%i dB, %s), the audible birds are %j', async (_, decibels, file, audible) => {
  expect([...(await render([bird('low', 1), bird(file, 2, { decibels })])).audible]).toEqual(audible);
});

it('A quiet bird in a test scene is audible if it is heard at another time than a louder one', async () => {
  const later = [{ startSeconds: 3.2, seconds: 2 }];
  expect([...(await render([bird('low', 1), bird('alsoLow', 2, { decibels: -20, heard: later })])).audible]).toEqual([1, 2]);
});

it('The noise of a test scene has the planned level, and a bird counts as inaudible under far louder noise or background', async () => {
  const noise = { slope: 3, decibels: -40, seed: 1 } as const;
  const quiet = await render([bird('low', 1)], { noise, background: { files: ['hiss', 'hiss'], decibels: -60 } });
  expect(levelFrom(quiet.samples, 2.1, 2.9) - levelFrom(quiet.samples, 4, 6)).toBeCloseTo(40, -0.7);
  expect([...quiet.audible]).toEqual([1]);
  expect([...(await render([bird('low', 1)], { noise: { ...noise, slope: 0, decibels: 30 } })).audible]).toEqual([]);
  expect([...(await render([bird('low', 1)], { background: { files: ['hiss', 'hiss'], decibels: 30 } })).audible]).toEqual([]);
});

it('A distant bird in a test scene has an echo and quieter high notes', async () => {
  const near = await render([bird('low', 1), bird('high', 2, { heard: [{ startSeconds: 3.2, seconds: 2 }] })]);
  const far = await render([bird('low', 1), bird('high', 2, { heard: [{ startSeconds: 3.2, seconds: 2 }], lowPassHz: 1500 })]);
  const contrast = ({ samples }: { samples: Float32Array }) => levelFrom(samples, 2.1, 2.9) - levelFrom(samples, 3.9, 4.5);
  expect(contrast(far)).toBeGreaterThan(contrast(near) + 5);
  const withEcho = await render([bird('low', 1, { echoSeconds: 0.8 })]);
  const without = await render([bird('low', 1)]);
  expect(levelFrom(withEcho.samples, 3.1, 3.3)).toBeGreaterThan(levelFrom(without.samples, 3.1, 3.3) + 20);
});
