import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createDownmix, downmix } from './downmix.ts';

const BLOCK = 8192;

function mixWhole(interleaved: Float32Array, channels: number): Float32Array {
  return mixInChunks(interleaved, channels, [interleaved.length]);
}

function mixInChunks(interleaved: Float32Array, channels: number, sizes: readonly number[]): Float32Array {
  const mixer = createDownmix(channels);
  const parts: Float32Array[] = [];
  let from = 0;
  for (let turn = 0; from < interleaved.length; turn++) {
    const size = sizes[turn % sizes.length] ?? interleaved.length;
    parts.push(mixer.push(interleaved.subarray(from, from + size)).slice());
    from += size;
  }
  parts.push(mixer.end());
  return Float32Array.from(parts.flatMap((part) => [...part]));
}

/** Stereo frames: a tone, and what `second` makes of it. */
function stereo(frames: number, second: (left: number, frame: number) => number): Float32Array {
  return Float32Array.from({ length: frames * 2 }, (_, index) => {
    const frame = index >> 1;
    const left = Math.sin(frame / 7);
    return index % 2 === 0 ? left : second(left, frame);
  });
}

function energy(samples: Float32Array): number {
  return samples.reduce((sum, sample) => sum + sample * sample, 0);
}

describe('The mix of a recording’s channels (`downmix`)', () => {
  it('is their mean', () => {
    expect(mixWhole(Float32Array.of(1, 0, 0.5, 0.25, -1, 0.5), 2)).toEqual(Float32Array.of(0.5, 0.375, -0.25));
    expect(mixWhole(Float32Array.of(0.75, 0, 0, 0, 0.375, 0), 3)).toEqual(Float32Array.of(0.25, 0.125));
  });

  it('is the recording itself if it is mono', () => {
    expect(mixWhole(Float32Array.of(0.1, -0.2), 1)).toEqual(Float32Array.of(0.1, -0.2));
  });

  it('is the same in whatever pieces the samples arrive', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 4 }),
        fc.array(fc.integer({ min: 1, max: 20_000 }), { minLength: 1, maxLength: 5 }),
        fc.integer({ min: 0, max: 3 * BLOCK }),
        fc.boolean(),
        (channels, sizes, frames, antiphase) => {
          const interleaved = Float32Array.from({ length: frames * channels }, (_, index) => {
            const left = Math.sin((index - (index % channels)) / 31);
            return antiphase && index % channels === 1 ? -left : left * (1 + (index % channels));
          });
          expect(mixInChunks(interleaved, channels, sizes)).toEqual(mixWhole(interleaved, channels));
        },
      ),
      { numRuns: 40 },
    );
  });

  it('keeps what either channel holds, even if a channel is wired with the wrong polarity', () => {
    fc.assert(
      fc.property(fc.double({ min: -1, max: 1, noNaN: true }), fc.integer({ min: 100, max: 2 * BLOCK }), (gain, frames) => {
        const interleaved = stereo(frames, (left) => left * gain);
        const left = interleaved.filter((_, index) => index % 2 === 0);
        // At least a hundredth of the louder channel's energy (−20 dB).
        expect(energy(mixWhole(interleaved, 2))).toBeGreaterThan(0.0099 * energy(left));
      }),
      { numRuns: 60 },
    );
  });

  it('is the louder channel where both cancel each other', () => {
    const mono = mixWhole(
      stereo(BLOCK, (left) => -left * 0.95),
      2,
    );
    expect(mono).toEqual(stereo(BLOCK, () => 0).filter((_, index) => index % 2 === 0));
    const louderRight = mixWhole(
      stereo(BLOCK, (left) => -left * 1.05),
      2,
    );
    expect(louderRight[10]).toBeCloseTo(-1.05 * Math.sin(10 / 7), 5);
  });

  it('does not switch between two channels that cancel each other and are about as loud', () => {
    // First the left is slightly louder, then the right. A switch would cause a jump between the blocks.
    const mono = mixWhole(
      stereo(2 * BLOCK, (left, frame) => -left * (frame < BLOCK ? 0.9 : 1.1)),
      2,
    );
    expect(mono[BLOCK + 10]).toBeCloseTo(Math.sin((BLOCK + 10) / 7), 5);
  });

  it('leaves out samples at the end that a channel lacks', () => {
    expect(mixWhole(Float32Array.of(0.5, 0.5, 1), 2)).toEqual(Float32Array.of(0.5));
  });

  it('is also made of samples that arrive as a stream', async () => {
    async function* chunks() {
      yield Float32Array.of(1, 0, 1);
      yield Float32Array.of(0);
    }
    const parts: number[] = [];
    for await (const part of downmix(chunks(), 2)) parts.push(...part);
    expect(parts).toEqual([0.5, 0.5]);
  });

  it('is refused for zero channels', () => {
    expect(() => createDownmix(0)).toThrow('0 channels; 1 or more work');
  });
});
