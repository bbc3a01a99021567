import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSilenceMeter } from './silence.ts';

function silentSamples(...chunks: Float32Array[]): number {
  const meter = createSilenceMeter();
  for (const chunk of chunks) meter.push(chunk);
  return meter.end();
}

describe('The number of silent samples in a recording', () => {
  it('includes every sample of a recording of zeros', () => {
    expect(silentSamples(new Float32Array(5000))).toBe(5000);
  });

  it('is zero for audio that uses only the lowest of 16 bits', () => {
    const quiet = Float32Array.from({ length: 5000 }, (_, index) => (index % 100 === 0 ? 1 / 32768 : 0));
    expect(silentSamples(quiet)).toBe(0);
  });

  it('is half of all samples if half of the recording is zeros', () => {
    const half = Float32Array.from({ length: 20_480 }, (_, index) => (index < 10_240 ? 0 : 0.5));
    expect(silentSamples(half)).toBe(10_240);
  });

  it('is the same in whatever pieces the samples arrive', () => {
    const samples = Float32Array.from({ length: 6000 }, (_, index) => (index % 2500 === 7 ? 0.2 : 0));
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 6000 }), (size) => {
        const chunks: Float32Array[] = [];
        for (let from = 0; from < samples.length; from += size) chunks.push(samples.subarray(from, from + size));
        expect(silentSamples(...chunks)).toBe(silentSamples(samples));
      }),
    );
  });
});
