import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { fallingNotes } from '@chiffchaff/bench/harness/recordings';

const main = fileURLToPath(new URL('../apps/cli/src/main.ts', import.meta.url));

/** A running `chiffchaff review`. */
export interface RunningReview {
  /** URL of its page */
  readonly address: string;
  /** @param signal SIGINT is Ctrl-C */
  end(signal: 'SIGINT' | 'SIGKILL'): Promise<void>;
}

/** Creates a folder with a two-minute recording and a table of detections of three species in it. */
export async function makeReviewFolder(detections: number): Promise<{ readonly folder: string; remove(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'chiffchaff-reviewed-'));
  await writeFile(join(folder, 'morning.wav'), fallingNotes(120).buffer);
  const species = [
    ['Parus major', 'Great Tit'],
    ['Turdus merula', 'Eurasian Blackbird'],
    ['Strix aluco', 'Tawny Owl'],
  ] as const;
  const header = 'Start (s),End (s),Scientific name,Common name,Score,Confidence,Hidden,File';
  const rows = Array.from({ length: detections }, (_, index) => {
    const start = (index * 117) / detections;
    const confidence = ((index * 7919) % 1000) / 1000;
    const bird = species[index % species.length] ?? [];
    return [start.toFixed(2), (start + 3).toFixed(2), ...bird, confidence, confidence, 'false', 'morning.wav'].join(',');
  });
  await writeFile(join(folder, 'birds.csv'), `${[header, ...rows].join('\n')}\n`);
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}

/** Starts `chiffchaff review birds.csv` in a folder. @throws Error when it ends before it prints its address */
export async function startReview(folder: string): Promise<RunningReview> {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', main, 'review', 'birds.csv'], {
    cwd: folder,
    env: { ...process.env, INIT_CWD: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'close');
  let said = '';
  child.stderr.on('data', (piece: Buffer) => {
    said += String(piece);
  });
  for await (const line of createInterface({ input: child.stdout }))
    return {
      address: line,
      async end(signal) {
        child.kill(signal);
        await ended;
      },
    };
  throw new Error(`The review ended: ${said}`);
}
