import { expect, it } from 'vitest';
import { createChance } from '../harness/random.ts';
import { drawScenes, type Source, scenePlaces } from './draw-scenes.ts';

const RARE = 90;
const VAGRANT = 95;
const LABELS = 100;
// Labels below 90 are expected everywhere, the more the higher; then come rare birds, then vagrants.
const occurrence = Float32Array.from({ length: LABELS }, (_, label) =>
  label < RARE ? 0.03 + label / 100 : label < VAGRANT ? 0.01 : 0,
);
const sources = Array.from({ length: LABELS }, (_, label): Source => ({ file: `${label}.wav`, label, seconds: 10 + label }));
const draw = (seed: number, from: readonly Source[] = sources) =>
  drawScenes({
    sources: from,
    backgrounds: ['rain.wav', 'dog.wav'],
    occurrences: scenePlaces.map(() => occurrence),
    chance: createChance(seed),
  });

it('Test scenes put together from recordings are the same for the same seed, and others for another seed', () => {
  expect(draw(1)).toEqual(draw(1));
  expect(draw(2)).not.toEqual(draw(1));
});

it('Test scenes of excerpts last 10 to 300 s and have 0 to 7 different birds, within 20 dB of the loudest', () => {
  const scenes = draw(1).filter(({ maker }) => maker === 'excerpts');
  const counts = scenes.map(({ birds }) => birds.length);
  expect([...new Set(counts)].sort()).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  expect(counts.filter((count) => count >= 2 && count <= 6)).toHaveLength(300);
  for (const { birds, seconds } of scenes) {
    expect(new Set(birds.map(({ label }) => label)).size).toBe(birds.length);
    expect(seconds).toBeGreaterThanOrEqual(10);
    expect(seconds).toBeLessThanOrEqual(300);
    expect(birds[0]?.decibels ?? 0).toBe(0);
    for (const { decibels } of birds) expect(decibels).toBeGreaterThanOrEqual(-20);
  }
  const hoursWithout = scenes.filter(({ birds }) => birds.length === 0).reduce((sum, { seconds }) => sum + seconds, 0) / 3600;
  expect(hoursWithout).toBeGreaterThan(3);
});

it('Test scenes of whole recordings contain no noise or background besides these recordings', () => {
  const overlays = draw(1).filter(({ maker }) => maker === 'overlay');
  expect(overlays).toHaveLength(120);
  for (const { birds, background, noise, seconds } of overlays) {
    expect([background, noise]).toEqual([null, null]);
    expect(birds.map(({ heard, label }) => [heard, label])).toEqual(
      birds.map(({ label }) => [[{ startSeconds: 0, seconds: 10 + label }], label]),
    );
    expect(seconds).toBe(Math.max(...birds.map(({ label }) => 10 + label)));
  }
});

it('Test scenes get birds as often as they occur at the place, 5 % of them rare and 2 % vagrants', () => {
  const labels = [1, 2, 3].flatMap((seed) => draw(seed).flatMap(({ birds }) => birds.map(({ label }) => label)));
  const shareOf = (from: number, to: number) => labels.filter((label) => label >= from && label < to).length / labels.length;
  expect(shareOf(RARE, VAGRANT)).toBeCloseTo(0.05, 1.5);
  expect(shareOf(VAGRANT, LABELS)).toBeCloseTo(0.02, 1.5);
  // Occurrence rises from 0.03 to 0.92: the upper half has three quarters of it.
  expect(shareOf(45, RARE) / shareOf(0, RARE)).toBeCloseTo(0.73, 1);
});

it('A test scene has fewer birds than planned if recordings of too few species are available', () => {
  const most = Math.max(...draw(1, sources.slice(0, 3)).map(({ birds }) => birds.length));
  expect(most).toBe(3);
});
