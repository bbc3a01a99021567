import { assert, constant, integer, property, tuple, uint8Array } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { concat, le16, le32 } from '../testing/bytes.ts';
import { createFrameSplitter, readWavHeader } from './wav-stream.ts';

const fmt = concat('fmt ', le32(18), le16(3), le16(2), le32(48_000), le32(384_000), le16(8), le16(32), le16(0));
const header = concat('RIFF', le32(2 ** 32 - 1), 'WAVE', fmt, 'fact', le32(4), le32(0), 'data', le32(2 ** 32 - 1));

describe('The reader of WAV headers (`readWavHeader`)', () => {
  it('finds channels, rate and the first sample', () => {
    expect(readWavHeader(concat(header, [1, 2, 3]))).toEqual({ channels: 2, sampleRate: 48_000, dataOffset: header.length });
  });

  it('asks for more bytes until the header is whole', () => {
    for (let length = 0; length < header.length; length++) expect(readWavHeader(header.subarray(0, length))).toBeNull();
  });

  it('refuses what is not a WAV', () => {
    expect(() => readWavHeader(concat('fLaC', le32(0)))).toThrow(/something else/);
    expect(() => readWavHeader(concat('RIFF', le32(0), 'WAVE', 'junk', le32(1_000_000)))).toThrow(/something else/);
  });
});

describe('The splitter of WAV bytes into samples (`createFrameSplitter`)', () => {
  it('gives the same samples in whatever pieces the bytes arrive', async () => {
    const cuts = tuple(integer({ min: 1, max: 8 }), integer({ min: 0, max: 200 })).chain(([channels, frames]) =>
      tuple(constant(channels), constant(frames * channels), uint8Array({ minLength: 1, maxLength: 40 })),
    );
    await assert(
      property(cuts, ([channels, count, lengths]) => {
        const samples = Float32Array.from({ length: count }, (_, index) => index / 7);
        const bytes = new Uint8Array(samples.buffer);
        const splitter = createFrameSplitter(channels);
        const got: number[] = [];
        for (let at = 0, turn = 0; at < bytes.length; turn++) {
          const length = lengths[turn % lengths.length] ?? 0;
          // A copy in memory of its own, since `push` takes the memory of such a piece.
          const piece = new Uint8Array(bytes.slice(at, at + length + 1));
          at += piece.length;
          const pushed = splitter.push(piece);
          expect(pushed.length % channels).toBe(0);
          got.push(...pushed);
        }
        expect(got).toEqual([...samples]);
      }),
    );
  });

  it('frees the memory of buffers that it owns, but not of buffers from a pool', () => {
    const samples = Float32Array.of(0.25, -0.5);
    const own = new Uint8Array(samples.buffer.slice());
    const pool = new Uint8Array(16);
    const pooled = pool.subarray(4, 12);
    pooled.set(own);
    expect([...createFrameSplitter(2).push(own)]).toEqual([...samples]);
    expect(own.length).toBe(0);
    expect([...createFrameSplitter(2).push(pooled)]).toEqual([...samples]);
    expect(pool.length).toBe(16);
  });

  it('gives silence for samples that are not finite', () => {
    const samples = Float32Array.of(0.5, Number.NaN, Number.POSITIVE_INFINITY, -3e38, 2_147_483_648);
    expect([...createFrameSplitter(1).push(new Uint8Array(samples.buffer))]).toEqual([0.5, 0, 0, 0, 2_147_483_648]);
  });
});
