import { OVERVIEW_BANDS, OVERVIEW_TOP_HZ } from '@chiffchaff/contract';
import { createNoise } from '@chiffchaff/testing';
import { expect, it } from 'vitest';
import { createOverview } from './create-overview.ts';

const sampleRate = 48_000;
const bandOf = (hz: number): number => Math.floor((hz * OVERVIEW_BANDS) / OVERVIEW_TOP_HZ);

it('The overview of a recording is loud where a short call is, and quiet elsewhere', () => {
  const overview = createOverview(sampleRate);
  const noise = createNoise();
  const seconds = 90;
  for (let second = 0; second < seconds; second += 1) {
    // A quarter of a second.
    const sings = second === 30;
    overview.push(
      Float32Array.from({ length: sampleRate }, (_, index) => {
        const call = sings && index >= 12_000 && index < 24_000 ? 0.2 * Math.sin((2 * Math.PI * 6000 * index) / sampleRate) : 0;
        return noise() * 0.01 + call;
      }),
    );
  }
  const levels = overview.end();
  expect(levels).toHaveLength(seconds * OVERVIEW_BANDS);
  const at = (second: number, hz: number): number => levels[second * OVERVIEW_BANDS + bandOf(hz)] ?? -1;
  expect(at(30, 6000)).toBeGreaterThan(200);
  for (const [second, hz] of [
    [30, 3000],
    [30, 9000],
    [29, 6000],
    [31, 6000],
  ] as const)
    expect(at(second, hz), `${hz} Hz at ${second} s`).toBeLessThan(50);
});

it('The overview of a recording of more than an hour has columns of two seconds, also for the first hour', () => {
  const overview = createOverview(sampleRate);
  const noise = createNoise();
  const [quiet, loud] = [0.001, 0.1].map((gain) => Float32Array.from({ length: sampleRate }, () => noise() * gain));
  for (let second = 0; second < 3610; second += 1) overview.push((second === 1001 ? loud : quiet) ?? new Float32Array());
  const levels = overview.end();
  expect(levels).toHaveLength(1805 * OVERVIEW_BANDS);
  const at = (column: number): number => levels[column * OVERVIEW_BANDS + bandOf(4000)] ?? -1;
  expect(at(500)).toBe(255);
  expect([at(499), at(501)]).toEqual([0, 0]);
});

it('The overview of a silent recording has the same level everywhere', () => {
  const overview = createOverview(sampleRate);
  for (let second = 0; second < 60; second += 1) overview.push(new Float32Array(sampleRate));
  expect(new Set(overview.end()).size).toBe(1);
});
