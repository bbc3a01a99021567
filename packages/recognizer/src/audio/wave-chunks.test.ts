import { describe, expect, it } from 'vitest';
import { readWaveChunks } from './wave-chunks.ts';

const le32 = (value: number): number[] => [0, 8, 16, 24].map((bits) => (value >>> bits) & 255);
const letters = (text: string): number[] => [...text].map((letter) => letter.charCodeAt(0));
/** @param stated length in the header, where that differs from the truth */
const chunk = (name: string, content: readonly number[], stated = content.length): number[] => [
  ...[...letters(name), ...le32(stated), ...content],
  ...(content.length % 2 === 1 ? [0] : []),
];
const format = (bits: number): number[] =>
  chunk('fmt ', [...[1, 0, 1, 0, ...le32(48_000), ...le32(48_000 * (bits / 8))], ...[bits / 8, 0, bits, 0]]);
const waveOf = (...chunks: readonly number[][]): Uint8Array =>
  Uint8Array.from([...letters('RIFF'), ...le32(0), ...letters('WAVE'), ...chunks.flat()]);
const wave = (...chunks: readonly number[][]): Uint8Array => waveOf(format(16), ...chunks);
const sound = (bytes: number): number[] => Array.from({ length: bytes }, (_, index) => 130 + (index % 100));
const zeros = (bytes: number): number[] => Array(bytes).fill(0);

const chunksOf = (bytes: Uint8Array) =>
  readWaveChunks(bytes.length, async (offset, length) => bytes.subarray(offset, offset + length));
const DATA_OFFSET = 12 + 24 + 8;

describe('The chunks of a WAV file (`readWaveChunks`)', () => {
  it('are found by their lengths, padded or not', async () => {
    for (const padding of [[], [0]]) {
      const odd = [...letters('note'), ...le32(3), 1, 2, 3, ...padding];
      const found = await chunksOf(wave(odd, chunk('data', sound(100)), odd, chunk('guan', letters('Note: x'))));
      expect(found?.chunks.map(({ name }) => name)).toEqual(['fmt ', 'note', 'data', 'note', 'guan']);
      expect(found).toMatchObject({ isOpen: false, isWrong: padding.length === 0, data: { length: 100 } });
    }
  });

  it.each([
    ['44 bytes are stated, by a recorder that lost power', wave(chunk('data', sound(20_000), 44))],
    ['a third is stated', wave(chunk('data', sound(20_000), 6_000))],
    ['the sound begins with silence', wave(chunk('data', [...zeros(6_000), ...sound(14_000)], 44))],
    ['no length is stated', wave(chunk('data', sound(20_000), 0))],
    ['a pipe was written to', wave(chunk('data', sound(20_000), 0xffff_ffff))],
  ])('have samples up to the end of the file despite a wrong length: %s', async (_, bytes) => {
    const found = await chunksOf(bytes);
    expect(found?.data).toMatchObject({ offset: DATA_OFFSET, length: 20_000 });
    const { statedLength = 0 } = found?.data ?? {};
    const isOpen = statedLength === 0 || statedLength === 0xffff_ffff;
    expect(found).toMatchObject({ isOpen, isWrong: !isOpen });
  });

  it.each([
    ['by another chunk', chunk('Xyz1', sound(5000))],
    ['by a known chunk that the file ends in', chunk('guan', sound(5000), 9000)],
    ['by zeros that fill up a block of the disk', zeros(10_000)],
    ['by a few bytes of rubbish', sound(300)],
    ['by nothing', []],
  ])('have samples of the stated length if they are followed %s', async (_, behind) => {
    expect(await chunksOf(wave(chunk('data', sound(20_000)), behind))).toMatchObject({
      isWrong: false,
      data: { length: 20_000 },
    });
  });

  it.each([
    ['no length is stated', 0],
    ['a pipe was written to', 0xffff_ffff],
    ['44 bytes are stated', 44],
  ])('give all samples, and nothing of the next chunk, if the header states a wrong length: %s', async (_, stated) => {
    const note = chunk('guan', letters('Note: x'));
    for (const behind of [[note], [note, chunk('LIST', letters('INFOlike'))], [note.slice(0, -1)]]) {
      const found = await chunksOf(wave(chunk('data', sound(20_000), stated), ...behind));
      expect(found).toMatchObject({ isWrong: true, data: { offset: DATA_OFFSET, length: 20_000 } });
      expect(found?.chunks.map(({ name }) => name)).toContain('guan');
    }
    const noChunk = [...sound(3000), ...letters('guan'), ...sound(3000)];
    expect((await chunksOf(wave(chunk('data', noChunk, stated))))?.data?.length).toBe(6004);
  });

  it('have the samples of the second `data` chunk if the first is empty', async () => {
    const found = await chunksOf(wave(chunk('data', []), chunk('guan', letters('Note: x')), chunk('data', sound(20_000))));
    expect(found).toMatchObject({ isOpen: false, isWrong: true, data: { length: 20_000 } });
    expect(await chunksOf(wave(chunk('data', []), chunk('guan', sound(600))))).toMatchObject({
      isOpen: false,
      data: { length: 0 },
    });
  });

  it('have samples of the length stated in `ds64` if the file is an RF64', async () => {
    const sizes = chunk('ds64', [...zeros(8), ...le32(20_000), ...zeros(12)]);
    const bytes = wave(sizes, chunk('data', sound(20_000), 0xffff_ffff), chunk('guan', letters('Note: x')));
    bytes.set(letters('RF64'));
    expect(await chunksOf(bytes)).toMatchObject({ isLong: true, isOpen: false, isWrong: false, data: { length: 20_000 } });
  });

  it('have samples up to the end of the file if it is an RF64 whose `ds64` states no length', async () => {
    const bytes = wave(chunk('ds64', zeros(28)), chunk('data', sound(20_000), 0xffff_ffff));
    bytes.set(letters('RF64'));
    expect(await chunksOf(bytes)).toMatchObject({ isOpen: true, isWrong: true, data: { length: 20_000 } });
  });

  it('show whether an AudioMoth recorded with a trigger', async () => {
    const info = (comment: string) => chunk('LIST', letters(`INFOICMT\0\0\0\0${comment}`));
    const isTriggered = async (comment: string, bits = 16) =>
      (await chunksOf(waveOf(format(bits), info(comment), chunk('data', sound(12)))))?.isTriggered;
    expect(await isTriggered('by AudioMoth 24E1. Amplitude threshold was 512 with 1s minimum trigger duration.')).toBe(true);
    expect(await isTriggered('by AudioMoth 24E1. Frequency trigger (8.0kHz) threshold was 1%.')).toBe(true);
    expect(await isTriggered('by AudioMoth 24E1 at medium gain.')).toBe(false);
    const comment = info('by AudioMoth 24E1. Amplitude threshold was 512.');
    expect(await chunksOf(waveOf(comment, format(16), chunk('data', sound(12))))).toMatchObject({ isTriggered: true });
    expect(await chunksOf(wave(chunk('data', sound(12)), comment))).toMatchObject({ isTriggered: true });
    expect(await isTriggered('by AudioMoth 24E1. Frequency trigger (8.0kHz) threshold was 1%.', 24)).toBe(false);
  });

  it('are not found in a file that is not a WAV', async () => {
    for (const text of ['', 'RIFF', 'RIFF1234AVI LIST', 'OggS', 'RIFX1234WAVEfmt ']) {
      expect(await chunksOf(Uint8Array.from(letters(text)))).toBeNull();
    }
  });
});
