import { chmodSync, closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { concat } from '../testing/bytes.ts';
import { childProcesses } from '../testing/child-processes.ts';
import { encode } from '../testing/encode.ts';
import { failureOf } from '../testing/failure-of.ts';
import { ffmpegPath } from '../testing/installed.ts';
import { makeSilentFlac } from '../testing/make-flac.ts';
import { makeWav } from '../testing/make-wav.ts';
import { openFiles } from '../testing/open-files.ts';
import { readAll } from '../testing/read-all.ts';
import { temporaryFolder } from '../testing/temporary-folder.ts';
import { decodeRecording, decodeWithFfmpeg } from './decode-recording.ts';

const noSignal = new AbortController().signal;

describe('The limits of decoding', () => {
  const folder = temporaryFolder();
  const program = (name: string, script: string): string => {
    const path = folder.write(name, `#!/bin/sh\n${script}\n`);
    chmodSync(path, 0o755);
    return path;
  };
  const describeInput =
    'echo "[info]   Duration: 00:00:03.00, start: 0.0" >&2; echo "[info]   Stream #0:0: Audio: pcm_s16le, 48000 Hz, mono" >&2';

  it('refuse a recording whose header states too long a duration, before decoding it', async () => {
    const path = folder.write('a.wav', makeWav({ seconds: 3 }));
    const failure = await failureOf(readAll(path, { limits: { maxSeconds: 2 } }));
    expect(failure).toEqual({
      code: 'RECORDING_TOO_LONG',
      sentence: 'A recording can be at most 2 seconds long. This one is 3 seconds.',
    });
  });

  it('accept a recording of exactly the longest and the shortest duration', async () => {
    expect(
      (await readAll(folder.write('a.wav', makeWav({ seconds: 2 })), { limits: { maxSeconds: 2 } })).end?.durationSeconds,
    ).toBe(2);
    expect((await readAll(folder.write('a.wav', makeWav({ seconds: 0.5 })))).end?.durationSeconds).toBe(0.5);
  });

  it('refuse a recording that is too long though its header states no duration', async () => {
    const path = folder.write('a.flac', makeSilentFlac({ seconds: 10, statedSamples: 0 }));
    expect((await failureOf(readAll(path, { limits: { maxSeconds: 5 } }))).code).toBe('RECORDING_TOO_LONG');
  });

  it.each<[name: string, ...args: string[]]>([
    ['estimated.mp3', '-write_xing', '0', '-b:a', '64k'],
    ['a.ogg', '-c:a', 'libvorbis'],
    ['a.m4a', '-c:a', 'aac'],
    ['a.webm', '-c:a', 'libopus'],
    ['a.aac', '-c:a', 'aac'],
  ])('refuse %s by its estimated duration, without decoding it', async (name, ...args) => {
    const path = await encode(folder.write('s.wav', makeWav({ seconds: 30 })), folder.path, name, ...args);
    const { code } = await failureOf(
      decodeRecording(path, { ffmpegPath, sampleRate: 48_000, signal: noSignal, limits: { maxSeconds: 20 } }),
    );
    expect(code).toBe('RECORDING_TOO_LONG');
    expect(await childProcesses()).toEqual([]);
    expect((await readAll(path, { limits: { maxSeconds: 40 } })).end?.durationSeconds).toBeCloseTo(30, 0);
  });

  it('accept a recording whose estimated duration is too long but whose real one is not', async () => {
    // Leading frames of 32 kbit/s make ffmpeg assume that rate throughout and estimate twice the real length.
    const encodeAt = async (rate: string) => {
      const source = folder.write('s.wav', makeWav({ seconds: 10 }));
      const flags = ['-write_xing', '0', '-id3v2_version', '0'];
      return readFileSync(await encode(source, folder.path, `${rate}.mp3`, ...flags, '-b:a', rate));
    };
    const mixed = concat(await encodeAt('32k'), await encodeAt('320k'));
    const { end } = await readAll(folder.write('mixed.mp3', mixed), { limits: { maxSeconds: 25 } });
    expect(end?.durationSeconds).toBeCloseTo(20, 0);
  });

  it.each([
    ['keeps working', 'while :; do :; done', { code: 'RECORDING_TOO_DEMANDING', sentence: /takes too long to read/ }],
    ['stands still', 'exec sleep 600', { code: 'DECODER_FAILED', sentence: /Nothing is wrong with your rec/ }],
  ])('end a decoder that prints nothing and %s, before or after describing the recording', async (_what, script, failure) => {
    const path = folder.write('a.wav', makeWav());
    const limits = { stallMs: 500, restartDelaysMs: [1] };
    for (const begin of [':', describeInput])
      expect(await failureOf(readAll(path, { ffmpeg: program('stuck', `${begin}; ${script}`), limits }))).toMatchObject(failure);
    expect(await childProcesses()).toEqual([]);
  });

  it('end a decoder that prints messages forever but no samples', async () => {
    const babbling = program('babbling', 'while :; do echo "[error] Header missing" >&2; done');
    const failure = await failureOf(readAll(folder.write('a.wav', makeWav()), { ffmpeg: babbling, limits: { stallMs: 300 } }));
    expect(failure.code).toBe('RECORDING_TOO_DEMANDING');
  });

  it('do not count the time that the reader of the samples takes', async () => {
    const path = folder.write('a.wav', makeWav({ seconds: 20 }));
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    try {
      const decoded = await decodeWithFfmpeg(path, { ffmpegPath, sampleRate: 48_000, signal: noSignal });
      for await (const _ of decoded.samples) vi.advanceTimersByTime(60_000);
      expect(decoded.end?.durationSeconds).toBe(20);
    } finally {
      vi.useRealTimers();
    }
  });

  it('set the decoder’s memory and report running out of it', async (context) => {
    context.skip(process.platform !== 'linux', 'only Linux limits the address space of a process');
    const limited = program(
      'limited',
      `[ "$(ulimit -v)" = 307200 ] && [ "$(ulimit -f)" = 0 ] || exit 0; ${describeInput}; echo "[error] Cannot allocate memory" >&2; exit 1`,
    );
    const failure = await failureOf(
      readAll(folder.write('a.wav', makeWav()), { ffmpeg: limited, limits: { maxMemoryBytes: 300 * 1_048_576 } }),
    );
    expect(failure).toMatchObject({ code: 'RECORDING_TOO_DEMANDING', sentence: /more than 300 MB of memory/ });
  });

  it('leave enough memory for a recording of 8 channels', async () => {
    const source = folder.write('s.wav', makeWav({ seconds: 2, channels: 8 }));
    const path = await encode(source, folder.path, 'a.ogg', '-c:a', 'libvorbis');
    expect((await readAll(path, { limits: { maxMemoryBytes: 600 * 1_048_576 } })).channels).toBe(8);
  });

  it('report a missing decoder as DECODER_NOT_INSTALLED', async () => {
    const path = folder.write('a.wav', makeWav());
    const failure = await failureOf(readAll(path, { ffmpeg: join(folder.path, 'nothing-here') }));
    expect(failure.code).toBe('DECODER_NOT_INSTALLED');
  });

  it('pass no environment variables of this process to the decoder', async () => {
    const nosy = program('nosy', `case "$(env)" in *HOME=*|*PATH=/*node_modules*) exit 0;; esac; ${describeInput}; exit 1`);
    expect((await failureOf(readAll(folder.write('a.wav', makeWav()), { ffmpeg: nosy }))).code).toBe('RECORDING_EMPTY');
  });
});

describe('Cancelling the decoding of a recording', () => {
  const folder = temporaryFolder();

  it('before it begins starts no decoder', async () => {
    await expect(readAll(folder.write('a.wav', makeWav()), { signal: AbortSignal.abort() })).rejects.toThrow(/abort/i);
    expect(await childProcesses()).toEqual([]);
  });

  it('ends the decoder within half a second and rejects with the given reason', async () => {
    const path = folder.write('long.flac', makeSilentFlac({ seconds: 3600, channels: 2 }));
    const controller = new AbortController();
    const decoded = await decodeRecording(path, { ffmpegPath, sampleRate: 48_000, signal: controller.signal });
    const reason = new DOMException('enough', 'AbortError');
    let cancelledAt = 0;
    const reading = (async () => {
      for await (const _ of decoded.samples) {
        if (cancelledAt > 0) continue;
        // biome-ignore lint/plugin: measures; to become a row of a benchmark
        cancelledAt = performance.now();
        controller.abort(reason);
      }
    })();
    await expect(reading).rejects.toBe(reason);
    // biome-ignore lint/plugin: measures; to become a row of a benchmark
    expect(performance.now() - cancelledAt).toBeLessThan(500);
    expect(await childProcesses()).toEqual([]);
  });

  it('ends a decoder that has printed nothing yet', async () => {
    const stuck = folder.write('stuck', '#!/bin/sh\nexec sleep 60\n');
    chmodSync(stuck, 0o755);
    const controller = new AbortController();
    const reading = readAll(folder.write('a.wav', makeWav()), { ffmpeg: stuck, signal: controller.signal });
    setImmediate(() => controller.abort());
    await expect(reading).rejects.toThrow(/abort/i);
    expect(await childProcesses()).toEqual([]);
  });

  it('ends the decoder, also when the reader leaves its loop over the samples', async () => {
    const path = folder.write('long.flac', makeSilentFlac({ seconds: 3600 }));
    const decoded = await decodeRecording(path, { ffmpegPath, sampleRate: 48_000, signal: noSignal });
    for await (const _ of decoded.samples) break;
    expect(await childProcesses()).toEqual([]);
  });

  it('ends the decoder, also when it is stopped before its samples are read', async () => {
    const path = folder.write('long.flac', makeSilentFlac({ seconds: 3600 }));
    const decoded = await decodeRecording(path, { ffmpegPath, sampleRate: 48_000, signal: noSignal });
    await decoded.stop();
    await decoded.stop();
    expect(await childProcesses()).toEqual([]);
  });
});

describe('Decoding a recording', () => {
  const folder = temporaryFolder();

  it('runs no further ahead of its reader than a pipe holds', async () => {
    const path = folder.write('long.flac', makeSilentFlac({ seconds: 3600 }));
    const decoded = await decodeRecording(path, { ffmpegPath, sampleRate: 48_000, signal: noSignal });
    // biome-ignore lint/plugin: measures; to become a row of a benchmark
    const before = process.memoryUsage().rss;
    let pieces = 0;
    for await (const _ of decoded.samples) {
      pieces++;
      if (pieces === 5) break;
    }
    // biome-ignore lint/plugin: measures; to become a row of a benchmark
    expect(process.memoryUsage().rss - before).toBeLessThan(60_000_000);
    await decoded.stop();
  });

  it('closes the file afterwards', async () => {
    const path = folder.write('a.wav', makeWav());
    closeSync(openSync(path, 'r+'));
    const before = openFiles();
    await readAll(path);
    expect(openFiles()).toBe(before);
  });
});
