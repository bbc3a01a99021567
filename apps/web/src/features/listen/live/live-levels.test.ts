import { describe, expect, it } from 'vitest';
import { createLiveLevels } from './live-levels.ts';
import { SAMPLE_RATE } from './microphone.ts';

/** Faint noise, with a tone from a second on. */
const sound = (hertz: number, from: number, seconds: number): Float32Array => {
  let seed = 1;
  return Float32Array.from({ length: seconds * SAMPLE_RATE }, (_, index) => {
    seed = (seed * 16_807) % 2_147_483_647;
    const tone = index >= from * SAMPLE_RATE ? 0.2 * Math.sin((2 * Math.PI * hertz * index) / SAMPLE_RATE) : 0;
    return 0.002 * (seed / 2_147_483_647 - 0.5) + tone;
  });
};
function push(levels: ReturnType<typeof createLiveLevels>, samples: Float32Array, pieceSamples: number): void {
  for (let at = 0; at < samples.length; at += pieceSamples) levels.push(samples.subarray(at, at + pieceSamples));
}

describe('The levels of the live spectrogram', () => {
  it('show a tone at its frequency, from the moment it begins', () => {
    const levels = createLiveLevels();
    push(levels, sound(6000, 2, 3), 2400);
    const [before, during] = [levels.latest(200), levels.latest(40)].map((latest) => latest.subarray(0, levels.rows));
    const loudest = during?.indexOf(Math.max(...during)) ?? 0;
    expect(loudest / levels.rows).toBeCloseTo(0.5, 1);
    expect(during?.[loudest]).toBeGreaterThan(200);
    expect(before?.[loudest]).toBeLessThan(80);
  });

  it('do not depend on the length of the pieces in which the audio arrives', () => {
    const [one, other] = [createLiveLevels(), createLiveLevels()];
    const samples = sound(3000, 1, 2);
    push(one, samples, 2400);
    push(other, samples, 7001);
    expect(one.written()).toBeGreaterThan(150);
    const both = Math.min(one.written(), other.written());
    expect(one.latest(one.written()).slice(0, both * one.rows)).toEqual(other.latest(other.written()).slice(0, both * one.rows));
  });

  it('are kept for the last minute, and can be read for any part of it', () => {
    const levels = createLiveLevels();
    push(levels, sound(6000, 2, 3), 4800);
    const stretch = { startSeconds: 2.2, endSeconds: 2.7 };
    const tone = levels.between(stretch);
    expect(tone).toHaveLength(40 * levels.rows);
    expect(tone && Math.max(...tone)).toBeGreaterThan(200);
    expect(levels.between({ startSeconds: 2.5, endSeconds: 3.5 })).toBeNull();
    for (let second = 3; second < 62; second += 1) levels.push(sound(6000, 1, 1));
    expect(levels.between(stretch)).toEqual(tone);
    push(levels, sound(6000, 1, 1), 4800);
    expect(levels.between(stretch)).toBeNull();
  });
});
