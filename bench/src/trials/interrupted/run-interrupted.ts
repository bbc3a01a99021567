import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { makeRecording } from '../../harness/make-recording.ts';
import { round } from '../../harness/measures.ts';
import { createChance } from '../../harness/random.ts';

export interface InterruptedOptions {
  readonly files: number;
  readonly kills: number;
  readonly seed: number;
  readonly say: (line: string) => void;
}

const main = fileURLToPath(new URL('../../../../apps/cli/src/main.ts', import.meta.url));
/** Number of different recordings; the others are copies of them. */
const DISTINCT = 30;
const SECONDS = 3;
/** One copy in this many is unreadable instead. */
const BAD_EVERY = 25;
/** Longest time until a kill, as a share of an unbroken run, so that most runs are killed before they finish. */
const LONGEST_PART = 0.2;
/** At least this long, because loading the model takes two seconds. */
const LONGEST_AT_LEAST_MS = 3000;

/**
 * Runs `identify` over a folder, kills it with SIGKILL at random moments and runs it again until it finishes: its tables must be those of
 * an unbroken run. Starts over until it has been killed `kills` times.
 */
export async function runInterrupted({ files, kills, seed, say }: InterruptedOptions) {
  const chance = createChance(seed);
  const folder = await mkdtemp(join(tmpdir(), 'chiffchaff-interrupted-'));
  const faults: string[] = [];
  try {
    await makeCard(join(folder, 'card'), files);
    const identify = (out: string) => {
      const args = [
        '--disable-warning=ExperimentalWarning',
        main,
        'identify',
        'card',
        '--format',
        'csv',
        '--overwrite',
        '--out',
        out,
      ];
      const child = spawn(process.execPath, args, {
        cwd: folder,
        env: { ...process.env, INIT_CWD: folder },
        detached: true,
        stdio: 'ignore',
      });
      return { ended: once(child, 'close'), kill: () => process.kill(-(child.pid ?? 0), 'SIGKILL') };
    };
    const read = (name: string) => readFile(join(folder, name), 'utf8');
    const startedAt = performance.now();
    await identify('whole.csv').ended;
    const unbrokenMs = performance.now() - startedAt;
    const whole = [await read('whole.csv'), await read('whole.files.csv')];
    say(`an unbroken run: ${round(unbrokenMs / 1000, 1)} s, ${whole[0]?.split('\n').length} lines`);
    let killed = 0;
    let ends = 0;
    const begin = () => Promise.all(['birds.csv', 'birds.files.csv'].map((name) => rm(join(folder, name), { force: true })));
    let isUnfinished = false;
    while (killed < kills || isUnfinished) {
      const { ended, kill } = identify('birds.csv');
      const patience =
        killed < kills ? chance.next() * Math.max(LONGEST_AT_LEAST_MS, LONGEST_PART * unbrokenMs) : Number.POSITIVE_INFINITY;
      const isOver = await Promise.race([ended.then(() => true), ...(Number.isFinite(patience) ? [delay(patience, false)] : [])]);
      if (!isOver) {
        kill();
        await ended;
        killed += 1;
        isUnfinished = true;
        continue;
      }
      ends += 1;
      isUnfinished = false;
      const tables = [await read('birds.csv'), await read('birds.files.csv')];
      if (tables.join() !== whole.join()) faults.push(`after ${killed} kills, the tables differ from those of an unbroken run`);
      if (existsSync(join(folder, 'birds.csv.journal'))) faults.push(`after ${killed} kills, a journal is left`);
      say(`ended after ${killed} kills in all`);
      if (killed < kills) await begin();
    }
    return { files, kills: killed, ends, unbrokenSeconds: round(unbrokenMs / 1000, 1), faults };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function makeCard(card: string, files: number): Promise<void> {
  await mkdir(card);
  const distinct = Math.min(files, DISTINCT);
  const pathOf = (index: number) => join(card, `${String(index).padStart(5, '0')}.wav`);
  for (let index = 0; index < distinct; index += 1)
    await makeRecording(pathOf(index), { startSeconds: index * SECONDS, seconds: SECONDS });
  for (let index = distinct; index < files; index += 1) {
    if (index % BAD_EVERY === 0) await writeFile(pathOf(index), 'no recording');
    else await copyFile(pathOf(index % distinct), pathOf(index));
  }
}
