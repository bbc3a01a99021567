import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { BAD_RECORDINGS_MAX_SECONDS, badRecordings } from '../testing/bad-recordings.ts';
import { noise } from '../testing/bytes.ts';
import { childProcesses } from '../testing/child-processes.ts';
import { encode } from '../testing/encode.ts';
import { failureOf } from '../testing/failure-of.ts';
import { makeWav } from '../testing/make-wav.ts';
import { openFiles } from '../testing/open-files.ts';
import { readAll } from '../testing/read-all.ts';
import { temporaryFolder } from '../testing/temporary-folder.ts';

describe('Decoding a bad recording', () => {
  const folder = temporaryFolder();

  it.each(badRecordings.map((bad) => [bad.what, bad] as const))(
    '(%s) fails with its code and sentence within five seconds, and leaves no process',
    async (_, { fileName, bytes, code, says }) => {
      const path = folder.write(fileName, bytes());
      const failure = await failureOf(readAll(path, { limits: { maxSeconds: BAD_RECORDINGS_MAX_SECONDS } }));
      expect(failure.code).toBe(code);
      if (says !== undefined) expect(failure.sentence).toMatch(says);
      expect(failure.sentence).not.toMatch(/undefined|null|NaN|ffmpeg|\/dev\/|0x/);
      expect(await childProcesses()).toEqual([]);
    },
    5000,
  );

  it('with wrong bytes in its header ends in samples or in a catalogued problem', async () => {
    const source = folder.write('short.wav', makeWav({ seconds: 1 }));
    for (const name of ['a.wav', 'a.caf', 'a.m4a', 'a.ogg', 'a.flac', 'a.wma', 'a.mp3', 'a.webm', 'a.w64', 'a.aiff']) {
      const whole = readFileSync(await encode(source, folder.path, name));
      for (let seed = 1; seed <= 4; seed++) {
        const [places, values] = [noise(12, seed), noise(12, seed + 100)];
        const wrong = Uint8Array.from(whole);
        for (const [index, place] of places.entries()) wrong[place + 4] = index % 3 === 0 ? 255 : (values[index] ?? 0);
        const { code } = await failureOf(readAll(folder.write('wrong', wrong), { limits: { maxSeconds: 60 } }));
        expect(code).toMatch(/^(none|RECORDING_[A-Z_]+)$/);
      }
    }
    expect(await childProcesses()).toEqual([]);
  });

  it('leaves no file open', async () => {
    const before = openFiles();
    for (const bad of badRecordings.slice(0, 40)) await failureOf(readAll(folder.write('a', bad.bytes())));
    expect(openFiles()).toBe(before);
  });

  it('fails for a folder in place of a file', async () => {
    expect(await failureOf(readAll(folder.path))).toMatchObject({
      code: 'RECORDING_UNSUPPORTED',
      sentence: /^This is a folder/,
    });
  });

  it('fails for a device in place of a file', async () => {
    expect((await failureOf(readAll('/dev/null'))).code).toBe('RECORDING_UNSUPPORTED');
  });
});

describe('Decoding an incomplete recording', () => {
  const folder = temporaryFolder();

  it.each<[name: string, ...args: string[]]>([
    ['a.wav'],
    ['a.w64'],
    ['a.aiff'],
    ['a.caf'],
    ['a.flac'],
    ['a.mp3'],
    ['a.wv'],
    ['fast.m4a', '-c:a', 'aac', '-movflags', 'faststart'],
    ['a.ogg', '-c:a', 'libvorbis'],
    ['a.opus', '-c:a', 'libopus'],
    ['a.webm', '-c:a', 'libopus'],
    ['a.wma', '-c:a', 'wmav2'],
    ['a.ac3'],
  ])('(%s, cut off) gives what is there and reports it as truncated', async (name, ...args) => {
    const source = folder.write('source.wav', makeWav({ seconds: 6, sampleRate: 44_100, channels: 2 }));
    const whole = readFileSync(await encode(source, folder.path, name, ...args));
    const { end } = await readAll(folder.write(`cut-${name}`, whole.subarray(0, Math.floor(whole.length * 0.61))));
    expect(end?.truncated).toBe(true);
    expect(end?.durationSeconds).toBeGreaterThan(2.5);
    expect(end?.durationSeconds).toBeLessThan(4.2);
    // Ogg, Matroska, AC-3 and MP4 do not state how much audio is missing.
    if (/wav|w64|aiff|caf|flac|mp3|wv|wma/.test(name)) expect(end?.missingShare).toBeCloseTo(0.4, 1);
  });

  it.each<[name: string, ...args: string[]]>([
    ['a.webm', '-c:a', 'libopus'],
    ['a.mkv', '-c:a', 'flac'],
    ['a.wma', '-c:a', 'wmav2'],
    ['a.ogg', '-c:a', 'libvorbis'],
    ['a.opus', '-c:a', 'libopus'],
    ['a.m4a', '-c:a', 'aac'],
  ])('(%s, with zeros or rubbish in the middle) reports it as truncated', async (name, ...args) => {
    const source = folder.write(
      'source.wav',
      makeWav({ seconds: 20, sample: (at) => 0.3 * Math.sin(7000 * at + 400 * at * at) }),
    );
    const whole = readFileSync(await encode(source, folder.path, name, ...args));
    const { end: unharmed } = await readAll(folder.write(name, whole));
    expect(unharmed).toMatchObject({ truncated: false, missingShare: 0 });
    const middle = Math.floor(whole.length / 2);
    const rubbish = Buffer.alloc(whole.length, 'not what was recorded');
    for (const [filling, share] of [
      [Buffer.alloc(whole.length), 0.06],
      [Buffer.alloc(whole.length), 0.4],
      [rubbish, 0.4],
    ] as const) {
      const harmed = Buffer.from(whole);
      filling.copy(harmed, middle, 0, Math.floor(whole.length * share));
      const { end } = await readAll(folder.write(`harmed-${name}`, harmed));
      expect(end?.truncated).toBe(true);
      expect(end?.missingShare).toBeGreaterThan(share / 2);
    }
  });

  it('(Ogg, with zeros up to the end) reports it as truncated', async () => {
    const source = folder.write(
      'source.wav',
      makeWav({ seconds: 20, sample: (at) => 0.3 * Math.sin(7000 * at + 400 * at * at) }),
    );
    const bytes = readFileSync(await encode(source, folder.path, 'zeros.ogg', '-c:a', 'libvorbis'));
    bytes.fill(0, Math.floor(bytes.length / 2));
    expect((await readAll(folder.write('zeros.ogg', bytes))).end?.truncated).toBe(true);
  });

  it('(cut off at any byte) ends in samples or in a catalogued problem', async () => {
    const source = folder.write('short.wav', makeWav({ seconds: 1 }));
    for (const name of ['b.m4a', 'b.ogg', 'b.webm', 'b.flac', 'b.mp3']) {
      const whole = readFileSync(await encode(source, folder.path, name));
      for (const share of [0.001, 0.01, 0.1, 0.5, 0.99]) {
        const { code } = await failureOf(readAll(folder.write('cut', whole.subarray(0, Math.ceil(whole.length * share)))));
        expect(code).toMatch(/^(none|RECORDING_(DAMAGED|EMPTY|TOO_SHORT|UNSUPPORTED))$/);
      }
    }
    expect(await childProcesses()).toEqual([]);
  });
});
