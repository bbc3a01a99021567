import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '@chiffchaff/testing';
import { describe, expect, it } from 'vitest';
import { childProcesses } from '../testing/child-processes.ts';
import { descendants } from '../testing/descendants.ts';
import { failureOf } from '../testing/failure-of.ts';
import { ffmpegPath } from '../testing/installed.ts';
import { makeWav } from '../testing/make-wav.ts';
import { readAll } from '../testing/read-all.ts';
import { temporaryFolder } from '../testing/temporary-folder.ts';
import { decodeWithFfmpeg } from './decode-recording.ts';

const signal = new AbortController().signal;
const limits = { restartDelaysMs: [1, 1, 1] };
const ENDED_BY_ITSELF = 'SIGSEGV';

describe.runIf(process.platform === 'linux')('A decoder that ends before the recording does', () => {
  const folder = temporaryFolder();
  let turn = 0;

  /** A decoder that runs `scripts` on its first starts and is ffmpeg afterwards. */
  function makeDecoder(...scripts: readonly string[]) {
    turn += 1;
    const count = join(folder.path, `starts-${turn}`);
    const cases = scripts.map((script, index) => `${index + 1}) ${script};;`).join('\n');
    const path = folder.write(
      `decoder-${turn}`,
      `#!/bin/sh
mkdir -p "${count}"; n=1; while ! mkdir "${count}/$n" 2>/dev/null; do n=$((n + 1)); done
case $n in
${cases}
esac
exec "${ffmpegPath}" "$@"
`,
    );
    chmodSync(path, 0o755);
    return { path, starts: () => readdirSync(count).length };
  }

  const die = (by: string): string => `kill -s ${by.slice(3)} $$`;
  const dieHalfway = (by: string): string => `"${ffmpegPath}" "$@" | head -c 1000001; ${die(by)}`;
  const sound = (): string =>
    folder.write('sound.wav', makeWav({ seconds: 20, sample: (seconds) => 0.4 * Math.sin(seconds * seconds * 300) }));

  it.each([
    ['before its first output', die('SIGKILL')],
    ['halfway', dieHalfway('SIGKILL')],
    ['halfway, below a shell that reports it', `"${ffmpegPath}" "$@" | head -c 1000001; sh -c 'kill -9 $$'; exit $?`],
  ])('and was killed %s is started again, without missing or repeated samples', async (_, script) => {
    const path = sound();
    const whole = await readAll(path);
    const decoder = makeDecoder(script, script);
    const again = await readAll(path, { ffmpeg: decoder.path, limits });
    expect(again.end).toEqual({ durationSeconds: 20, truncated: false, missingShare: 0 });
    expect(Buffer.compare(Buffer.from(again.all.buffer), Buffer.from(whole.all.buffer))).toBe(0);
    expect(decoder.starts()).toBe(3);
  });

  it.each([
    ['stands still', 'before its first output', 'exec sleep 600', 'exec sleep 600'],
    ['stands still', 'halfway', `"${ffmpegPath}" "$@" | head -c 1000001; exec sleep 600`, 'exec sleep 600'],
    ['stops itself', 'halfway', `"${ffmpegPath}" "$@" | head -c 1000001; kill -s STOP $$`],
    ['crashes once', 'before its first output', die(ENDED_BY_ITSELF)],
    ['crashes once', 'halfway', dieHalfway(ENDED_BY_ITSELF)],
    [
      'runs out of memory once',
      'halfway',
      `"${ffmpegPath}" "$@" | head -c 1000001; echo "[error] Cannot allocate memory" >&2; exit 1`,
    ],
    [
      'ends without a word once',
      'before its first output',
      `"${ffmpegPath}" "$@" 2>&1 >/dev/null | grep -F "[info]" >&2; exit 0`,
    ],
    ['works without output once', 'halfway', `"${ffmpegPath}" "$@" | head -c 1000001; while :; do :; done`],
  ])('because it %s %s is started again, without missing or repeated samples', async (_what, _when, ...scripts) => {
    const path = sound();
    const whole = await readAll(path);
    const decoder = makeDecoder(...scripts);
    const again = await readAll(path, { ffmpeg: decoder.path, limits: { ...limits, stallMs: 500 } });
    expect(again.end).toEqual({ durationSeconds: 20, truncated: false, missingShare: 0 });
    expect(Buffer.compare(Buffer.from(again.all.buffer), Buffer.from(whole.all.buffer))).toBe(0);
    expect(decoder.starts()).toBe(scripts.length + 1);
  });

  it.each(['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGHUP', 'SIGSTOP'] as const)(
    'and was sent %s from outside is started again',
    async (name) => {
      const path = folder.write('long.wav', makeWav({ seconds: 60 }));
      const decoded = await decodeWithFfmpeg(path, {
        ffmpegPath,
        sampleRate: 48_000,
        signal,
        limits: { ...limits, stallMs: 1000 },
      });
      let samples = 0;
      let sent = 0;
      for await (const piece of decoded.samples) {
        samples += piece.length;
        if (sent > 0) continue;
        const decoders = await eventually(async () => {
          const found = (await descendants()).filter(({ command }) => command.startsWith('ffmpeg'));
          expect(found).toHaveLength(1);
          return found;
        });
        for (const { id } of decoders) process.kill(id, name);
        sent += decoders.length;
      }
      expect(decoded.end).toMatchObject({ truncated: false, durationSeconds: 60 });
      expect(samples).toBe(60 * 48_000);
      expect(sent).toBe(1);
    },
  );

  it.each([
    ['before its first output', die('SIGKILL'), 4],
    ['halfway', dieHalfway('SIGKILL'), 4],
  ])('and is killed again and again %s fails with DECODER_FAILED after four attempts', async (_, script, starts) => {
    const decoder = makeDecoder(...Array.from({ length: 9 }, () => script));
    const failure = await failureOf(readAll(sound(), { ffmpeg: decoder.path, limits }));
    expect(failure).toMatchObject({ code: 'DECODER_FAILED', sentence: /stopped or failed to start/ });
    expect(decoder.starts()).toBe(starts);
    expect(await childProcesses()).toEqual([]);
  });

  it.each([
    ['before its first output', die(ENDED_BY_ITSELF)],
    ['halfway', dieHalfway(ENDED_BY_ITSELF)],
  ])('because the recording makes it crash %s is started only once more', async (_, script) => {
    const decoder = makeDecoder(script, script, script);
    const failure = await failureOf(readAll(sound(), { ffmpeg: decoder.path, limits }));
    expect(failure).toMatchObject({ code: 'RECORDING_DAMAGED', sentence: /like WAV, but the decoder crashed/ });
    expect(decoder.starts()).toBe(2);
  });

  it('because it has used up its time is started only once more', async () => {
    // What ffmpeg does on the signal of its CPU time limit.
    const spends = 'echo "[info] Exiting normally, received signal 24." >&2; exit 255';
    const decoder = makeDecoder(spends, spends, spends);
    const failure = await failureOf(readAll(sound(), { ffmpeg: decoder.path, limits }));
    expect(failure).toMatchObject({ code: 'RECORDING_TOO_DEMANDING', sentence: /takes too long to read/ });
    expect(decoder.starts()).toBe(2);
  });

  it('is not started again once the decoding is cancelled', async () => {
    const controller = new AbortController();
    const decoder = makeDecoder(die('SIGKILL'));
    const reading = readAll(sound(), {
      ffmpeg: decoder.path,
      limits: { restartDelaysMs: [600_000] },
      signal: controller.signal,
    });
    await eventually(() => expect(decoder.starts()).toBe(1));
    controller.abort();
    await expect(reading).rejects.toThrow(/abort/i);
    expect(decoder.starts()).toBe(1);
  });

  it('because file descriptors have run out is started again when some are free', async (context) => {
    await readAll(sound(), { ffmpeg: ffmpegPath });
    const path = sound();
    // Started first: with so few descriptors, nothing can be started.
    const raising = spawn('/bin/sh', ['-c', `read _; exec prlimit --pid ${process.pid} --nofile=4096:`]);
    const raised = once(raising, 'exit');
    try {
      execFileSync('prlimit', ['--pid', String(process.pid), '--nofile=3:']);
    } catch (error) {
      raising.kill();
      return context.skip(`prlimit does not serve here: ${error}`);
    }
    const failure = await failureOf(readAll(path, { ffmpeg: ffmpegPath, limits }));
    const reading = readAll(path, { ffmpeg: ffmpegPath, limits: { restartDelaysMs: [100, 1000, 10_000] } });
    raising.stdin.end('\n');
    await raised;
    expect(failure).toMatchObject({ code: 'DECODER_FAILED' });
    expect((await reading).end).toMatchObject({ truncated: false, durationSeconds: 20 });
  });

  it.each([
    ['is not there', (): string => join(folder.path, 'nothing-here')],
    ['may not be run', (): string => folder.write('no-program', 'no program')],
  ])('because its program %s is not started again', async (_, at) => {
    const failure = await failureOf(readAll(sound(), { ffmpeg: at(), limits: { restartDelaysMs: [600_000] } }));
    expect(failure.code).toBe('DECODER_NOT_INSTALLED');
  });
});
