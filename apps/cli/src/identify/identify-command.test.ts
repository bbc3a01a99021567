import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Analyzer } from '@chiffchaff/analysis';
import { predictionSchema } from '@chiffchaff/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readConfig } from '../config.ts';
import { openInstalledAnalyzer } from '../open-recognizer.ts';
import { createCapturedTerminal } from '../testing/captured-terminal.ts';
import { makeWave } from '../testing/fake-wave.ts';
import { readOptions } from '../testing/read-options.ts';
import { startCli } from '../testing/start-cli.ts';
import { identify } from './identify.ts';
import { identifyCommand } from './options.ts';

/** End to end: a separate process, the installed model, a real decoder. */
describe('`chiffchaff identify` with the installed model', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'chiffchaff-identify-'));
    await writeFile(join(folder, 'short.wav'), makeWave({ seconds: 4 }));
    await writeFile(join(folder, 'broken.wav'), makeWave({ seconds: 1 }).subarray(0, 20));
    // At a low sample rate the file is small but still has hundreds of clips.
    await writeFile(join(folder, 'long.wav'), makeWave({ seconds: 3600, sampleRate: 4000 }));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('prints a valid prediction, to standard output only', async () => {
    const { code, out, err } = await startCli(
      ['identify', 'short.wav', 'broken.wav', '--format', 'json', '--lat', '50.8', '--lon', '-12.9'],
      {
        cwd: folder,
      },
    ).ended;
    expect(code).toBe(1);
    const [first, second] = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(first.file).toBe('short.wav');
    expect(predictionSchema.parse(first.prediction)).toMatchObject({
      recording: { fileName: 'short.wav', durationSeconds: 4, container: 'wav' },
      conditions: { latitude: 50.8, longitude: -12.9 },
    });
    expect(second).toEqual({
      file: 'broken.wav',
      error: { code: expect.stringMatching(/^RECORDING_/), message: expect.any(String) },
    });
    expect(err).toContain('Powered by');
  });

  describe('for a killdeer, which does not live in Saxony,', () => {
    const killdeer = join(import.meta.dirname, '../../../web/src/features/landing/example/killdeer.opus');
    let analyzer: Analyzer | null = null;
    beforeAll(async () => {
      analyzer = await openInstalledAnalyzer(readConfig(process.env, folder), new AbortController().signal);
    });
    afterAll(async () => analyzer?.close());
    /** Runs the command with a model that is loaded once. */
    const hear = async (...args: string[]) => {
      const options = readOptions(identifyCommand, [killdeer, ...args]);
      if (analyzer === null || options === null) throw new Error('nothing to listen with');
      const [loaded, terminal] = [analyzer, createCapturedTerminal()];
      const { signal } = new AbortController();
      const config = { startFolder: folder, workers: 1 };
      await identify(options, {
        config,
        terminal,
        signal,
        openAnalyzer: async () => ({ ...loaded, close: async () => undefined }),
      });
      return terminal.written();
    };
    const saxony = ['--lat', '50.8', '--lon', '12.9', '--date', '2026-05-01'];

    it.each(['csv', 'raven', 'audacity', 'json'])(
      'lists the killdeer in the %s output without a place, and for Saxony only if hidden birds are requested',
      async (format) => {
        const heard = async (...args: string[]) => {
          const out = await hear('--format', format, ...args);
          const text = format === 'json' ? JSON.stringify(JSON.parse(out).prediction.detections) : out;
          return text.includes('Killdeer');
        };
        expect(await heard()).toBe(true);
        expect(await heard(...saxony)).toBe(false);
        expect(await heard(...saxony, '--show-hidden')).toBe(true);
      },
    );

    it('writes CSV with score, confidence, occurrence, place, day and settings', async () => {
      const rowOf = async (...args: string[]) => {
        const [head = [], row = []] = (await hear('--format', 'csv', ...args)).split('\n').map((line) => line.split(','));
        return Object.fromEntries(head.map((column, i) => [column, row[i]]));
      };
      const anywhere = await rowOf();
      expect(anywhere).toMatchObject({ Occurrence: '', Hidden: 'FALSE', Latitude: '', Date: '', Week: '' });
      expect(Number(anywhere.Score)).toBeGreaterThan(0.9);
      const there = await rowOf(...saxony, '--show-hidden');
      expect(there).toMatchObject({
        ...{ Confidence: '0.0000', Hidden: 'TRUE', Score: anywhere.Score, File: killdeer, Model: 'birdnet-v2.4' },
        ...{ Latitude: '50.8', Longitude: '12.9', Date: '2026-05-01', Week: '17', 'Min score': '0.25', 'Overlap (s)': '1.5' },
      });
      expect(Number(there.Occurrence)).toBeLessThan(0.002);
      const atHome = await rowOf('--lat', '42.4', '--lon', '-76.5', '--date', '2026-05-01');
      expect(atHome).toMatchObject({ Hidden: 'FALSE', Latitude: '42.4', Longitude: '-76.5' });
      expect(Number(atHome.Occurrence)).toBeGreaterThan(0.1);
      expect(Number(atHome.Confidence)).toBeGreaterThan(0.9);
    });

    it('prints the result shown in docs/accuracy.md', async () => {
      const page = await readFile(join(import.meta.dirname, '../../../../docs/accuracy.md'), 'utf8');
      const [, shown = ''] = /```console\n(\$ bird=[\s\S]*?)```/.exec(page) ?? [];
      const examples = shown.split(/^\$ /m).filter((example) => example.startsWith('./chiffchaff'));
      expect(examples).toHaveLength(3);
      for (const example of examples) {
        const [command = '', ...lines] = example.trimEnd().split('\n');
        const [, args = ''] = /^\.\/chiffchaff identify \$bird (.*) \| cut -d, -f4-8$/.exec(command) ?? [];
        const said = (await hear(...args.split(' '))).trimEnd().split('\n');
        const cells = (line: string) =>
          line.split(',').map((cell) => (cell === '' || Number.isNaN(Number(cell)) ? cell : Number(cell)));
        // The last digits depend on the machine.
        const near = (line: string) => cells(line).map((cell) => (typeof cell === 'number' ? expect.closeTo(cell, 2) : cell));
        expect(said.map((line) => cells(line).slice(3, 8))).toEqual(lines.map(near));
      }
    });

    it('writes score and confidence in the columns that Raven and BirdNET-Analyzer use for them', async () => {
      const [head = [], row = []] = (await hear('--format', 'raven')).split('\n').map((line) => line.split('\t'));
      const { detections } = JSON.parse(await hear('--format', 'json')).prediction;
      expect(head.at(-1)).toBe('Calibrated');
      expect(row[head.indexOf('Confidence')]).toBe(detections[0].score.toFixed(4));
      expect(row.at(-1)).toBe(detections[0].confidence.toFixed(4));
      expect(row.at(-1)).not.toBe(row[head.indexOf('Confidence')]);
    });
  });

  it('stops within half a second on Ctrl-C, leaves no child process and keeps finished results', async ({ skip }) => {
    const { child, ended } = startCli(['identify', 'short.wav', 'long.wav', '--format', 'csv', '--out', 'heard.csv'], {
      cwd: folder,
    });
    const children = await childrenAtWork(child.pid ?? 0, ended);
    if (children === null) return skip('the system has no /proc');
    // biome-ignore lint/plugin: measures; to become a row of a benchmark
    const cancelledMs = performance.now();
    child.kill('SIGINT');
    const { code, err } = await ended;
    // biome-ignore lint/plugin: measures; to become a row of a benchmark
    const tookMs = performance.now() - cancelledMs;
    expect(code).toBe(130);
    expect(err).toMatch(/^Stopped\. \d of 2 done\. What is done is kept\./m);
    // The documented limit is 500 ms; the rest is for a busy machine.
    expect(tookMs).toBeLessThan(1000);
    // The helper that starts decoders notices that its parent has ended, and ends them.
    await expect.poll(async () => (await Promise.all(children.map(runs))).includes(true)).toBe(false);
    expect(await readFile(join(folder, 'heard.csv.journal'), 'utf8')).toMatch(/^\{"settings":/);
    expect(existsSync(join(folder, 'heard.csv'))).toBe(false);
  });

  it('stops without a message when the program that reads its output has ended', async () => {
    // A closed pipe shows at the next write only: several short recordings, so that one is written before the long one is done.
    const short = Array.from({ length: 6 }, (_, index) => `short-${index}.wav`);
    for (const name of short) await copyFile(join(folder, 'short.wav'), join(folder, name));
    const { child, ended } = startCli(['identify', ...short, 'long.wav', '--format', 'json'], { cwd: folder });
    if (child.stdout === null) throw new Error('no pipe');
    await once(child.stdout, 'data');
    child.stdout.destroy();
    const { code, err } = await ended;
    expect(code).toBe(0);
    expect(err).not.toContain('EPIPE');
  });
});

/** An ended process stays in the table as a zombie until its parent, by then init, reaps it. */
async function runs(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return stat !== '' && !/^Z/.test(stat.slice(stat.lastIndexOf(')') + 2));
}

/** All descendants of a process. */
async function startedBy(pid: number): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  const children = text.trim().split(' ').filter(Boolean).map(Number);
  return [...children, ...(await Promise.all(children.map(startedBy))).flat()];
}

/** Waits until the decoder of the long recording is running. @returns null on a system without `/proc/self/task` */
async function childrenAtWork(pid: number, ended: Promise<unknown>): Promise<number[] | null> {
  if (!existsSync('/proc/self/task')) return null;
  let hasEnded = false;
  void ended.then(() => {
    hasEnded = true;
  });
  while (!hasEnded) {
    const children = await startedBy(pid);
    const commands = await Promise.all(children.map((each) => readFile(`/proc/${each}/cmdline`, 'utf8').catch(() => '')));
    if (commands.some((command) => /aresample|f32le|pipe:/.test(command))) return children;
    await new Promise(setImmediate);
  }
  throw new Error('identify ended before it could be cancelled');
}
