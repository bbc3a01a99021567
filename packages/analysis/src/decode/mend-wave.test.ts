import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cutSegment } from '../copy/cut-segment.ts';
import { concat } from '../testing/bytes.ts';
import { ffmpegPath } from '../testing/installed.ts';
import { makeWav, riffChunk, type WavShape } from '../testing/make-wav.ts';
import { readAll } from '../testing/read-all.ts';
import { temporaryFolder } from '../testing/temporary-folder.ts';

const HEADER_BYTES = 44;
const { signal } = new AbortController();

/** A marker of an AudioMoth for so many blocks. */
function marker(blocks: number): Uint8Array {
  const bytes = Buffer.alloc(512);
  for (let bit = 0; bit < 32; bit++) bytes.writeInt16LE(((blocks >>> bit) & 1) === 1 ? 1 : -1, 2 * bit);
  return bytes;
}

const trigger =
  'Recorded at 05:12:44 01/05/2026 (UTC) by AudioMoth 24E144085F256AB1 at medium gain. Amplitude threshold was 512 with 1s minimum trigger duration.';
const commentOf = (text: string) => riffChunk('LIST', concat('INFO', riffChunk('ICMT', text)));

/** The samples of a tone, and a triggered recording of an AudioMoth with other samples. */
const toneOf = (sampleRate: number, seconds: number) => makeWav({ sampleRate, seconds }).subarray(HEADER_BYTES);
function triggered(sampleRate: number, data: Uint8Array, comment = trigger): Uint8Array {
  const head = makeWav({ sampleRate, seconds: 0, before: [commentOf(comment)], stated: { dataBytes: data.length } });
  return concat(head, data);
}

const isSame = (one: Float32Array, other: Float32Array) =>
  Buffer.compare(Buffer.from(one.buffer), Buffer.from(other.buffer)) === 0;

/** Seconds at which sound begins and ends. */
function heard(samples: Float32Array, sampleRate = 48_000): [number, number] {
  const isLoud = (value: number) => Math.abs(value) > 0.01;
  return [samples.findIndex(isLoud) / sampleRate, samples.findLastIndex(isLoud) / sampleRate];
}

describe('A triggered recording of an AudioMoth', () => {
  const folder = temporaryFolder();

  it.each([24_000, 48_000, 96_000])('at %i Hz has its full length and times, pauses included', async (sampleRate) => {
    const [before, after] = [29, 28].map((seconds) => (seconds * sampleRate) / 256);
    const data = concat(marker(Math.floor(before ?? 0)), toneOf(sampleRate, 3), marker(Math.floor(after ?? 0)));
    const { all, end, sampleRate: own } = await readAll(folder.write('20260501_051244T.WAV', triggered(sampleRate, data)));
    expect(own).toBe(sampleRate);
    expect(end?.truncated).toBe(false);
    expect(end?.durationSeconds).toBeCloseTo(60, 1);
    const [begins, ends] = heard(all);
    expect([begins, ends]).toEqual([expect.closeTo(29, 1), expect.closeTo(32, 1)]);
  });

  it('keeps every recorded sample, wherever pauses are marked', async () => {
    const tone = toneOf(48_000, 2);
    // The recorder aligns markers with blocks of the card, so the first samples are fewer.
    const data = concat(tone.subarray(0, 24), marker(200), tone.subarray(24, 96_000), marker(1), tone.subarray(96_000));
    const silence = new Uint8Array(200 * 512);
    const whole = concat(
      tone.subarray(0, 24),
      silence,
      tone.subarray(24, 96_000),
      silence.subarray(0, 512),
      tone.subarray(96_000),
    );
    const expanded = await readAll(folder.write('a.WAV', triggered(48_000, data)));
    const expected = await readAll(
      folder.write('b.WAV', concat(makeWav({ seconds: 0, stated: { dataBytes: whole.length } }), whole)),
    );
    expect(isSame(expanded.all, expected.all)).toBe(true);
    expect(expanded.end).toEqual(expected.end);
  });

  it('is cut at the times at which it was recorded, pauses included', async () => {
    const data = concat(marker((29 * 24_000) / 256), toneOf(24_000, 3), marker((28 * 24_000) / 256));
    const path = folder.write('c.WAV', triggered(24_000, data));
    const target = join(folder.path, 'segment.wav');
    const stretch = { startSeconds: 28, endSeconds: 33 };
    expect(await cutSegment({ path, target, stretch, format: 'wav', ffmpegPath }, signal)).toMatchObject({ seconds: 5 });
    expect(heard((await readAll(target)).all)).toEqual([expect.closeTo(1, 1), expect.closeTo(4, 1)]);
  });

  it('is read as it is if it marks no pause, or one longer than a memory card can hold', async () => {
    const tone = toneOf(24_000, 2);
    expect((await readAll(folder.write('d.WAV', triggered(24_000, tone)))).end).toMatchObject({ durationSeconds: 2 });
    const absurd = await readAll(folder.write('e.WAV', triggered(24_000, concat(tone, marker(0xffff_ffff)))));
    expect(absurd.end?.durationSeconds).toBeCloseTo(2, 1);
    const other = triggered(24_000, concat(tone, marker(1000)), 'by another recorder, whose threshold was 512');
    expect((await readAll(folder.write('f.WAV', other))).end?.durationSeconds).toBeCloseTo(2, 1);
  });
});

describe('A WAV with a wrong header', () => {
  const folder = temporaryFolder();
  const shapes: readonly WavShape[] = [
    { sampleRate: 48_000 },
    { sampleRate: 44_100 },
    { sampleRate: 24_000, channels: 2 },
    { sampleRate: 48_000, bits: 24 },
    { sampleRate: 22_050, bits: 32, float: true },
  ];

  it.each(shapes.flatMap((shape) => [44, 48_000].map((dataBytes) => ({ ...shape, dataBytes }))))(
    'is read to its end if it states too little sound: %j',
    async ({ dataBytes, ...shape }) => {
      const right = await readAll(folder.write('right.wav', makeWav({ ...shape, seconds: 6 })));
      const wrong = await readAll(folder.write('wrong.wav', makeWav({ ...shape, seconds: 6, stated: { dataBytes } })));
      expect(wrong.end).toEqual({ ...right.end, truncated: false, missingShare: 0 });
      expect(isSame(wrong.all, right.all)).toBe(true);
    },
  );

  it.each([48_000, 44_100])('is read at %i Hz if an odd chunk in front of the samples lacks its padding', async (sampleRate) => {
    const odd = riffChunk('note', 'early').subarray(0, -1);
    const right = await readAll(folder.write('right.wav', makeWav({ sampleRate, seconds: 2 })));
    const wrong = await readAll(folder.write('wrong.wav', makeWav({ sampleRate, seconds: 2, before: [odd] })));
    expect(isSame(wrong.all, right.all)).toBe(true);
  });

  it('is read to its end if it is an RF64 without a length, as from a recorder that lost power', async () => {
    const shape = { sampleRate: 24_000, seconds: 4, isRf64: true };
    const right = await readAll(folder.write('right.wav', makeWav(shape)));
    const wrong = await readAll(folder.write('wrong.wav', makeWav({ ...shape, stated: { longDataBytes: 0 } })));
    expect(wrong.end).toEqual({ durationSeconds: 4, truncated: false, missingShare: 0 });
    expect(isSame(wrong.all, right.all)).toBe(true);
  });

  it('gives a segment from the part that its header leaves out', async () => {
    for (const sampleRate of [48_000, 44_100]) {
      const path = folder.write('wrong.wav', makeWav({ sampleRate, seconds: 6, stated: { dataBytes: 44 } }));
      const target = join(folder.path, 'segment.wav');
      const stretch = { startSeconds: 4, endSeconds: 5 };
      await cutSegment({ path, target, stretch, format: 'wav', ffmpegPath }, signal);
      const expected = toneOf(sampleRate, 6).subarray(4 * sampleRate * 2, 5 * sampleRate * 2);
      expect(Buffer.compare(readFileSync(target).subarray(-expected.length), expected)).toBe(0);
    }
  });

  it.each([48_000, 44_100])('at %i Hz is read from all its chunks of samples', async (sampleRate) => {
    const note = riffChunk('guan', 'Note: x');
    const [first, second] = [toneOf(sampleRate, 2), toneOf(sampleRate, 1)];
    for (const after of [
      [note, riffChunk('data', second)],
      [riffChunk('data', ''), note, riffChunk('data', second), note],
    ]) {
      const { all, end } = await readAll(folder.write('several.wav', makeWav({ sampleRate, seconds: 2, after })));
      expect(end).toMatchObject({ durationSeconds: 3, truncated: false });
      const whole = makeWav({ sampleRate, seconds: 3 });
      whole.set(concat(first, second), HEADER_BYTES);
      expect(isSame(all, (await readAll(folder.write('whole.wav', whole))).all)).toBe(true);
    }
  });

  it('is read up to the chunks behind its sound if it states no length, or too much', async () => {
    for (const dataBytes of [0, 0xffff_ffff, 600_000]) {
      const shape = { sampleRate: 44_100, seconds: 3, after: [riffChunk('guan', 'Note: x')] };
      const right = await readAll(folder.write('right.wav', makeWav(shape)));
      const wrong = await readAll(folder.write('wrong.wav', makeWav({ ...shape, stated: { dataBytes } })));
      expect(wrong.end).toEqual({ durationSeconds: 3, truncated: false, missingShare: 0 });
      expect(isSame(wrong.all, right.all)).toBe(true);
    }
  });

  it('ends where its header says if chunks or zeros follow', async () => {
    for (const after of [[commentOf('x'.repeat(9000))], [new Uint8Array(20_000)]]) {
      const { end } = await readAll(folder.write('padded.wav', makeWav({ sampleRate: 44_100, seconds: 2, after })));
      expect(end).toEqual({ durationSeconds: 2, truncated: false, missingShare: 0 });
    }
  });
});
