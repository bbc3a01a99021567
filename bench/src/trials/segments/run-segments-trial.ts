import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { link, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { findFfmpeg, readConfig } from '@chiffchaff/cli';
import { round } from '../../harness/measures.ts';
import { createChance } from '../../harness/random.ts';

export interface SegmentsTrialOptions {
  readonly hours: number;
  readonly species: number;
  readonly perSpecies: number;
  readonly coding: 'flac' | 'opus' | 'wav';
  readonly seed: number;
  readonly say: (line: string) => void;
}

const run = promisify(execFile);
const main = fileURLToPath(new URL('../../../../apps/cli/src/main.ts', import.meta.url));
const recordings = fileURLToPath(new URL('../../../../../shared/data/recordings', import.meta.url));
/** Number of different hours; the others are links to the same files. */
const DISTINCT = 2;
const LOOPED = 24;
const RATE = 48_000;
const SECONDS = 5;
const LOOKED_AT = 10;
const SAME = 0.99;
const encoders = { flac: ['-c:a', 'flac'], opus: ['-c:a', 'libopus', '-b:a', '64k'], wav: ['-c:a', 'pcm_s16le'] } as const;

/**
 * Runs `segments` on hours of audio, made by looping recordings: how long it takes, and whether each segment matches what a decoder that
 * reads from the beginning finds there.
 */
export async function runSegmentsTrial({ hours, species, perSpecies, coding, seed, say }: SegmentsTrialOptions) {
  const ffmpegPath = await findFfmpeg(readConfig(process.env, process.cwd()), new AbortController().signal);
  const folder = await mkdtemp(join(tmpdir(), 'chiffchaff-segments-'));
  const faults: string[] = [];
  const pathOf = (hour: number): string => join(folder, 'card', `${String(hour).padStart(4, '0')}.${coding}`);
  try {
    await mkdir(join(folder, 'card'));
    const files = (await readdir(recordings)).filter((name) => name.endsWith('.opus')).sort();
    for (let hour = 0; hour < hours; hour += 1) {
      if (hour >= DISTINCT) await link(pathOf(hour % DISTINCT), pathOf(hour));
      else {
        const list = Array.from({ length: LOOPED }, (_, n) => files[(hour * LOOPED + n) % files.length]);
        await writeFile(join(folder, 'list'), list.map((name) => `file '${join(recordings, name ?? '')}'\n`).join(''));
        const source = ['-stream_loop', '-1', '-f', 'concat', '-safe', '0', '-i', join(folder, 'list'), '-t', '3600'];
        const shape = ['-ar', String(RATE), '-ac', '1', ...encoders[coding]];
        await run(ffmpegPath, ['-nostdin', '-loglevel', 'error', ...source, ...shape, pathOf(hour)]);
        say(`made hour ${hour + 1} of ${Math.min(hours, DISTINCT)}`);
      }
    }
    await writeFile(join(folder, 'birds.csv'), makeTable({ hours, species, perSpecies, seed, pathOf }));
    const startedAt = performance.now();
    const args = ['--disable-warning=ExperimentalWarning', main, 'segments', '--in', 'birds.csv', '--out', 'clips'];
    const child = spawn(process.execPath, [...args, '--per-species', String(perSpecies), '--seconds', String(SECONDS)], {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const [code] = await once(child, 'close');
    const seconds = (performance.now() - startedAt) / 1000;
    if (code !== 0) faults.push(`segments ended with ${code}`);
    const rows = (await readFile(join(folder, 'clips/segments.csv'), 'utf8')).trimEnd().split('\n').slice(1);
    if (rows.length !== species * perSpecies) faults.push(`${rows.length} segments instead of ${species * perSpecies}`);
    const looked = await lookAt(rows, { folder, ffmpegPath, chance: createChance(seed) });
    faults.push(...looked.filter(({ likeness }) => !(likeness >= SAME)).map(({ name }) => `${name} is not what lies there`));
    return { hours, coding, species, segments: rows.length, seconds: round(seconds, 1), looked, faults };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface Made {
  readonly hours: number;
  readonly species: number;
  readonly perSpecies: number;
  readonly seed: number;
  readonly pathOf: (hour: number) => string;
}

/** Three times as many detections of each species as are wanted, at random positions. */
function makeTable({ hours, species, perSpecies, seed, pathOf }: Made): string {
  const chance = createChance(seed);
  const rows = Array.from({ length: species * perSpecies * 3 }, (_, index) => {
    const start = Math.floor(chance.next() * 1196) * 3;
    const name = `Avis ${index % species}`;
    const share = chance.next().toFixed(4);
    return [start, start + 3, name, name, share, share, 'false', pathOf(Math.floor(chance.next() * hours))].join(',');
  });
  return `${['Start (s),End (s),Scientific name,Common name,Score,Confidence,Hidden,File', ...rows].join('\n')}\n`;
}

/** Compares segments with the whole recording, decoded from its beginning. */
async function lookAt(
  rows: readonly string[],
  { folder, ffmpegPath, chance }: { folder: string; ffmpegPath: string; chance: ReturnType<typeof createChance> },
) {
  const looked: { name: string; seconds: number; likeness: number }[] = [];
  const decode = async (path: string, start: number) => {
    const filter = `atrim=start_sample=${start}:end_sample=${start + SECONDS * RATE}`;
    const args = ['-nostdin', '-loglevel', 'error', '-i', path, '-af', filter, '-f', 's16le', 'pipe:1'];
    const { stdout } = await run(ffmpegPath, args, { encoding: 'buffer', maxBuffer: 2 ** 24 });
    return new Int16Array(stdout.buffer, stdout.byteOffset, stdout.length / 2);
  };
  for (let n = 0; n < Math.min(LOOKED_AT, rows.length); n += 1) {
    const [name = '', file = '', start = ''] = rows[Math.floor(chance.next() * rows.length)]?.split(',') ?? [];
    const clip = await decode(join(folder, 'clips', name), 0);
    const there = await decode(file, Math.round(Number(start) * RATE));
    looked.push({ name, seconds: clip.length / RATE, likeness: round(likeness(clip, there), 4) });
  }
  return looked;
}

/** Correlation without a shift, −1 to 1; 1 if both are silent. */
function likeness(a: Int16Array, b: Int16Array): number {
  if (a.length !== b.length) return Number.NaN;
  let [both, first, second] = [0, 0, 0];
  for (let n = 0; n < a.length; n += 1) {
    const [x, y] = [a[n] ?? 0, b[n] ?? 0];
    both += x * y;
    first += x * x;
    second += y * y;
  }
  return first === 0 && second === 0 ? 1 : both / Math.sqrt(first * second);
}
