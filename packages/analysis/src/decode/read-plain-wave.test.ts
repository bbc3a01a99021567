import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { createNoise } from '@chiffchaff/testing';
import { needsSharedFolder, sharedPath } from '@chiffchaff/testing/shared-folder';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { badRecordings } from '../testing/bad-recordings.ts';
import { concat, le32 } from '../testing/bytes.ts';
import { encode } from '../testing/encode.ts';
import { failureOf } from '../testing/failure-of.ts';
import { hostileRecordings } from '../testing/hostile-recordings.ts';
import { ffmpegPath } from '../testing/installed.ts';
import { makeWav, riffChunk, type WavShape } from '../testing/make-wav.ts';
import { temporaryFolder } from '../testing/temporary-folder.ts';
import { decodeRecording, decodeWithFfmpeg } from './decode-recording.ts';
import type { DecodedRecording } from './decoded-recording.ts';
import { defaultDecodeLimits } from './limits.ts';
import { readPlainWave } from './read-plain-wave.ts';

const { signal } = new AbortController();
const options = { ffmpegPath, sampleRate: 48_000, signal };
const limits = { ...defaultDecodeLimits, maxSeconds: 200 };

/** Everything that decoding a recording gives, or the problem it ends with. */
async function resultOf(decoding: Promise<DecodedRecording>) {
  let result: object = {};
  const failure = await failureOf(
    (async () => {
      const decoded = await decoding;
      const samples = createHash('sha256');
      try {
        for await (const piece of decoded.samples) samples.update(piece);
      } finally {
        await decoded.stop();
      }
      const { container, codec, sampleRate, channels, end } = decoded;
      result = { container, codec, sampleRate, channels, end, samples: samples.digest('hex') };
    })(),
  );
  return { ...failure, ...result };
}

/** @returns null when the file is left to ffmpeg */
async function resultHere(path: string) {
  const own = await readPlainWave(path, { ...options, limits });
  return own && resultOf(Promise.resolve(own));
}
const resultOfFfmpeg = (path: string) => resultOf(decodeWithFfmpeg(path, { ...options, limits }));

/** A signal without repetition, and louder in one channel than in the other. */
const sample = (seconds: number, channel: number) => Math.sin(12_345 * seconds) * (channel === 0 ? 1 : -0.3);
const codings: readonly WavShape[] = [{ bits: 16 }, { bits: 24 }];
const note = riffChunk('LIST', concat('INFO', riffChunk('ICMT', 'recorded at the pond')));

describe('The reader of plain WAVs (`readPlainWave`)', () => {
  const folder = temporaryFolder();

  const shapes: readonly WavShape[] = [
    { seconds: 3 },
    { seconds: 3.00001 },
    { seconds: 0.9, channels: 2 },
    { seconds: 0.9, channels: 2, before: [note] },
    { seconds: 0.9, before: [riffChunk('guan', 'GUANO|Version:1'), note, riffChunk('JUNK', new Uint8Array(5000))] },
    { seconds: 0.50001, after: [note, riffChunk('wamd', new Uint8Array(77)), note] },
    { seconds: 0.9, stated: { riffBytes: 0 } },
    { seconds: 0.9, stated: { riffBytes: 0xffff_ffff } },
  ];
  it.each(shapes.flatMap((shape) => codings.map((coding) => ({ ...shape, ...coding }))))(
    'gives the same samples as ffmpeg, bit for bit: %j',
    async (shape) => {
      const path = folder.write('a.wav', makeWav({ ...shape, sample }));
      const here = await resultHere(path);
      expect(here).toMatchObject({ code: 'none', end: { truncated: false, missingShare: 0 } });
      expect(here).toEqual(await resultOfFfmpeg(path));
    },
  );

  it('starts no process of ffmpeg', async () => {
    const path = folder.write('a.wav', makeWav());
    expect(await resultOf(decodeRecording(path, { ...options, ffmpegPath: '/nonexistent/ffmpeg' }))).toMatchObject({
      code: 'none',
    });
  });

  it('reports a WAV that becomes shorter while it is read as truncated', async () => {
    const path = folder.write('c.wav', makeWav({ seconds: 4 }));
    const decoded = await readPlainWave(path, { ...options, limits });
    truncateSync(path, 44 + 96_000);
    for await (const _ of decoded?.samples ?? []);
    expect(decoded?.end).toEqual({ durationSeconds: 1, truncated: true, missingShare: 0.75 });
  });

  it('refuses a WAV that shrinks below the shortest duration while it is read', async () => {
    const path = folder.write('c.wav', makeWav({ seconds: 4 }));
    const decoded = readPlainWave(path, { ...options, limits });
    await decoded;
    truncateSync(path, 44 + 9600);
    const reading = (async () => {
      for await (const _ of (await decoded)?.samples ?? []);
    })();
    expect(await failureOf(reading)).toMatchObject({ code: 'RECORDING_TOO_SHORT', sentence: /This one is 0\.1 seconds/ });
  });

  it('stops when it is cancelled', async () => {
    const stopping = new AbortController();
    const path = folder.write('c.wav', makeWav({ seconds: 3 }));
    const decoded = await readPlainWave(path, { ...options, limits, signal: stopping.signal });
    stopping.abort(new Error('stopped'));
    await expect(decoded?.samples[Symbol.asyncIterator]().next()).rejects.toThrow('stopped');
    await decoded?.stop();
    await decoded?.stop();
  });
});

describe('The reader of plain WAVs (`readPlainWave`) leaves to ffmpeg', () => {
  const folder = temporaryFolder();

  it.each<[string, Uint8Array]>([
    ['a sampling rate of 44.1 kHz', makeWav({ sampleRate: 44_100 })],
    ['no rate', makeWav({ stated: { sampleRate: 0 } })],
    ['eight bits', makeWav({ bits: 8 })],
    ['32 bits', makeWav({ bits: 32 })],
    ['floats', makeWav({ bits: 32, float: true })],
    ['floats of 64 bits', makeWav({ bits: 64, float: true })],
    ['floats of 16 bits', makeWav({ stated: { formatTag: 3 } })],
    ['an unknown coding', makeWav({ stated: { formatTag: 0x4242 } })],
    ['four channels', makeWav({ channels: 4 })],
    ['no channels', makeWav({ stated: { channels: 0 } })],
    ['no channels and no block', makeWav({ stated: { channels: 0, blockAlign: 0 } })],
    ['65,535 channels', makeWav({ stated: { channels: 65_535 } })],
    ['loudspeakers elsewhere', makeWav({ channels: 2, speakers: 0x30 })],
    ['more loudspeakers than channels', makeWav({ speakers: 3 })],
    ['20 of 24 bits', makeWav({ bits: 24, speakers: 4, stated: { validBits: 20 } })],
    ['an extensible format that is too short', makeWav({ speakers: 4, stated: { fmtBytes: 18 } })],
    ['a wrong block', makeWav({ stated: { blockAlign: 4 } })],
    ['half a frame at the end', makeWav({ stated: { dataBytes: 95_999 } })],
    ['too short', makeWav({ seconds: 0.4 })],
    ['too long', makeWav({ seconds: 201, sample: () => 0 })],
    ['without samples', makeWav({ seconds: 0 })],
    ['cut off', makeWav({ seconds: 2 }).subarray(0, 100_000)],
    ['cut off by a byte', makeWav({ seconds: 2 }).subarray(0, -1)],
    ['of no length', makeWav({ stated: { dataBytes: 0 } })],
    ['of a length that is not known', makeWav({ stated: { dataBytes: 0xffff_ffff } })],
    ['longer than the file', makeWav({ stated: { dataBytes: 0x7fff_fffe } })],
    ['an extensible format', makeWav({ speakers: 4 })],
    ['a long file', makeWav({ isRf64: true })],
    ['a long file that is cut off', makeWav({ isRf64: true, stated: { longDataBytes: 2 ** 52 } })],
    ['a long file of no length', makeWav({ isRf64: true, stated: { longDataBytes: 0 } })],
    ['a long file with a short length, too', makeWav({ isRf64: true, stated: { dataBytes: 1000 } })],
    ['two formats', makeWav({ before: [riffChunk('fmt ', new Uint8Array(16))] })],
    ['samples in two places', makeWav({ after: [riffChunk('data', new Uint8Array(9600))] })],
    ['samples in front of the format', concat('RIFF', le32(0), 'WAVE', riffChunk('data', new Uint8Array(96_000)))],
    ['samples of a video', makeWav({ after: [riffChunk('SMV0', new Uint8Array(40))] })],
    ['chunks without end', makeWav({ before: Array(40).fill(riffChunk('JUNK', '')) })],
    ['a chunk that leads out of the file', makeWav({ before: [concat('JUNK', le32(0xffff_ffff))] })],
    ['no chunk behind its samples', makeWav({ after: [concat('not a chunk at all, and a long way to the next')] })],
    ['a list too short to be one', makeWav({ after: [riffChunk('LIST', 'IN')] })],
    ['a description too short to be one', makeWav({ after: [riffChunk('bext', 'pond')] })],
    ['a header alone', makeWav().subarray(0, 30)],
    ['an empty file', new Uint8Array(0)],
  ])('a WAV that is not plain: %s', async (_, bytes) => {
    const path = folder.write('b.wav', bytes);
    expect(await resultHere(path)).toBeNull();
    expect(await resultOf(decodeRecording(path, { ...options, limits }))).toEqual(await resultOfFfmpeg(path));
  });

  it.each([
    ['MP3', 'a.mp3', ['-b:a', '320k', '-write_xing', '0', '-id3v2_version', '0']],
    ['AC-3', 'a.ac3', ['-b:a', '448k']],
    ['AAC', 'a.aac', ['-b:a', '192k']],
    ['DTS', 'a.dts', ['-strict', '-2', '-ac', '2', '-c:a', 'dca']],
  ])('a WAV with %s where its samples should be', async (_, name, args) => {
    const path = await encode(folder.write('source.wav', makeWav({ seconds: 8 })), folder.path, name, ...args);
    const frames = readFileSync(path).subarray(0, 96_000);
    const wave = folder.write('b.wav', concat(makeWav().subarray(0, 44), frames, new Uint8Array(96_000 - frames.length)));
    expect(await resultHere(wave)).toBeNull();
    expect(await resultOf(decodeRecording(wave, { ...options, limits }))).toEqual(await resultOfFfmpeg(wave));
  });

  it('a file that cannot be opened', async () => {
    expect(await resultHere(folder.path)).toBeNull();
    expect(await resultHere('/dev/null')).toBeNull();
    expect(await resultHere(join(folder.path, 'nothing-here'))).toBeNull();
  });
});

describe('The reader of plain WAVs and ffmpeg give the same samples or problem', () => {
  const folder = temporaryFolder();

  it('for every bad or hostile recording', async () => {
    const waves = [...badRecordings, ...hostileRecordings].filter(({ bytes }) =>
      /^(RIFF|RF64|BW64)/.test(Buffer.from(bytes().subarray(0, 4)).toString('latin1')),
    );
    expect(waves).not.toEqual([]);
    for (const { what, fileName, bytes } of waves) {
      const path = folder.write(fileName, bytes());
      expect(await resultOf(decodeRecording(path, { ...options, limits })), what).toEqual(await resultOfFfmpeg(path));
    }
  });

  describe('for real recordings', () => {
    beforeEach(needsSharedFolder);

    it('in their original files, as far as these are WAVs', async () => {
      const formats = sharedPath('fixtures/audio/formats');
      const waves = readdirSync(formats).filter((name) => name.endsWith('.wav'));
      expect(waves).not.toEqual([]);
      for (const name of waves) {
        const path = join(formats, name);
        expect(await resultOf(decodeRecording(path, { ...options, limits })), name).toEqual(await resultOfFfmpeg(path));
      }
    });

    it.each([['pcm_s16le'], ['pcm_s16le', '-write_bext', '1', '-metadata', 'description=the pond']])(
      'written by ffmpeg as %s (case %#)',
      async (codec, ...args) => {
        const source = sharedPath('fixtures/audio/soundscape.flac');
        const path = await encode(source, folder.path, 'real.wav', '-t', '20', '-ar', '48000', '-c:a', codec, ...args);
        const here = await resultHere(path);
        expect(here).toMatchObject({ code: 'none', codec, end: { durationSeconds: 20, truncated: false } });
        expect(here).toEqual(await resultOfFfmpeg(path));
      },
    );
  });

  it('for headers with wrong bytes that both can read', async () => {
    let compared = 0;
    for (const bytes of wrongHeaders()) {
      const path = folder.write('wrong.wav', bytes);
      const here = await resultHere(path);
      const there = here && (await resultOfFfmpeg(path));
      if (there?.code !== 'none') continue;
      expect(here).toEqual(there);
      compared += 1;
      if (compared === 50) return;
    }
    expect.fail(`only ${compared} could be compared`);
  });
});

describe('WAV headers with wrong bytes', () => {
  const folder = temporaryFolder();

  it('are read, or left to ffmpeg, in as little memory as right ones', async () => {
    const alloc = vi.spyOn(Buffer, 'alloc');
    const tally = { left: 0, read: 0 };
    for (const bytes of wrongHeaders()) {
      const here = await resultHere(folder.write('wrong.wav', bytes));
      tally[here === null ? 'left' : 'read'] += 1;
      expect(here?.code ?? 'none').toBe('none');
    }
    const asked = alloc.mock.calls.map(([bytes]) => bytes);
    alloc.mockRestore();
    expect(Math.max(...asked)).toBeLessThanOrEqual(48_000 * 2 * 3);
    expect(tally.left).toBeGreaterThan(300);
    expect(tally.read).toBeGreaterThan(300);
  });
});

/** WAV files of half a second with a few wrong bytes in their chunks; the same on every run. */
function* wrongHeaders(): Generator<Uint8Array> {
  const noise = createNoise();
  const below = (count: number) => Math.floor((noise() + 0.5) * count);
  const right = codings.flatMap((coding) =>
    [1, 2].flatMap((channels) =>
      [{}, { before: [note] }, { after: [note] }].map((more) => makeWav({ seconds: 0.5, channels, ...coding, ...more })),
    ),
  );
  for (let count = 0; count < 1500; count += 1) {
    const bytes = Uint8Array.from(right[below(right.length)] ?? []);
    for (let wrong = 1 + below(3); wrong > 0; wrong -= 1) {
      const at = below(5) === 0 ? bytes.length - 1 - below(note.length) : below(140);
      bytes[at] = [0, 0xff, below(256), (bytes[at] ?? 0) ^ (1 << below(8))][below(4)] ?? 0;
    }
    yield bytes;
  }
}
