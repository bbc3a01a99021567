import { WAVE_HEADER_BYTES } from '@chiffchaff/recognizer/audio';
import { expect, it } from 'vitest';
import { firstHeader, fromPcm, localTimestamp, toPcm, wholeWave } from './wave-file.ts';

const startedAt = new Date('2026-05-01T05:12:44.120Z');
const place = { latitude: 50.84, longitude: -12.93 };
const bytesOf = async (file: Blob) => new DataView(await file.arrayBuffer());

it('The WAV of live listening gets a correct header if it was cut off, even in the middle of a sample', async () => {
  const pcm = toPcm(Float32Array.of(0, 0.5, -1));
  const file = wholeWave(new Blob([firstHeader(48_000), pcm, Uint8Array.of(7)]), 48_000, 'morning.wav', {
    startedAt,
    place: null,
  });
  const view = await bytesOf(file);
  expect(view.getUint32(4, true)).toBe(file.size - 8);
  expect(view.getUint32(file.size - 10, true)).toBe(6); // bytes of samples, which are at the end
  expect([6, 4, 2].map((fromEnd) => view.getInt16(file.size - fromEnd, true))).toEqual([0, 16_384, -32_767]);
});

it('The WAV of live listening contains when and where it was recorded', async () => {
  const written = new Blob([firstHeader(48_000), new Int16Array(72_000)]);
  const file = wholeWave(written, 48_000, 'morning.wav', { startedAt, place });
  const text = await file.slice(WAVE_HEADER_BYTES - 8, file.size - 144_000).text();
  expect(text).toContain('GUANO|Version:1.0\n');
  expect(text).toContain('\nLoc Position:50.84 -12.93\n');
  expect(Date.parse(/Timestamp:(.*)/.exec(text)?.[1] ?? '')).toBe(Date.parse('2026-05-01T05:12:44Z'));
});

it('The WAV of live listening contains the local time with its distance from UTC', () => {
  expect(localTimestamp(startedAt)).toMatch(/^2026-\d\d-\d\dT\d\d:\d\d:44[+-]\d\d:\d\d$/);
  expect(Date.parse(localTimestamp(startedAt))).toBe(Date.parse('2026-05-01T05:12:44Z'));
});

it('The WAV of live listening limits samples that are too loud, and is read back as it was written', () => {
  expect([...toPcm(Float32Array.of(1.5, -2))]).toEqual([32_767, -32_767]);
  const samples = Float32Array.of(0.25, -0.75, 1);
  for (const [index, sample] of fromPcm(toPcm(samples)).entries()) expect(sample).toBeCloseTo(samples[index] ?? 0, 4);
});
