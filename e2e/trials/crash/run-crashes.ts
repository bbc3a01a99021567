import type { ChildProcess } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { makeDataFolder, startServer } from '../../server.ts';
import { withoutAttemptLimits } from '../people.ts';
import { createChance } from '../random.ts';
import { act } from './actor.ts';
import { checkFolder, makeOlderFolder, verifyOlderFolder } from './folders.ts';
import { countLedger, createLedger } from './ledger.ts';
import { verifyLedger } from './verify.ts';

export interface CrashOptions {
  readonly kills: number;
  readonly seed: number;
  /** Told what has happened so far, a line at a time. */
  readonly say: (line: string) => void;
}

export type CrashReport = ReturnType<typeof countLedger> & { readonly faults: readonly string[] };

/** people who use the server at the same time */
const actors = 6;
const longestLifeMs = 3000;
const longestStartMs = 700;
/** One kill in so many hits a server that is still starting … */
const startingEvery = 5;
/** … and one in so many a migration. */
const migratingEvery = 8;

const environment = { OPEN_PREDICTION: 'false', LOG_LEVEL: 'error', ...withoutAttemptLimits };

/**
 * Kills a server again and again while people use it, and asks the next one for everything that had been acknowledged.
 *
 * Kills fall into the work (sign-ups, recordings, deletions), into the start, and into the migration of an older data folder.
 */
export async function runCrashes({ kills, seed, say }: CrashOptions): Promise<CrashReport> {
  const chance = createChance(seed);
  const ledger = createLedger();
  const faults: string[] = [];
  const dataDir = await makeDataFolder();
  const groups = Array.from({ length: actors }, () => ledger.people.slice(0, 0));
  try {
    for (let kill = 1; kill <= kills; kill += 1) {
      if (kill % migratingEvery === 0) {
        faults.push(...(await killMigration(chance.below(longestStartMs))));
        ledger.kills.migrating += 1;
      } else if (kill % startingEvery === 0) {
        await killStart(dataDir, chance.below(longestStartMs));
        ledger.kills.starting += 1;
      } else {
        const server = await startServer(environment, { dataDir });
        const lives = groups.map((mine) => act(server.origin, ledger, mine, createChance(chance.below(2 ** 31))));
        await Promise.race([delay(150 + chance.below(longestLifeMs)), Promise.all(lives)]);
        await server.kill();
        for (const life of await Promise.allSettled(lives)) if (life.status === 'rejected') faults.push(String(life.reason));
        ledger.kills.working += 1;
      }
      if (kill % 10 === 0) say(`${kill} kills: ${JSON.stringify(countLedger(ledger))}`);
    }
    const server = await startServer(environment, { dataDir });
    faults.push(...(await verifyLedger(server.origin, ledger)));
    await server.stop();
    faults.push(...(await checkFolder(dataDir)));
    return { ...countLedger(ledger), faults };
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** A server that dies before it listens, or just after. */
async function killStart(dataDir: string, afterMs: number): Promise<void> {
  const timers: NodeJS.Timeout[] = [];
  const killLater = (child: ChildProcess) => timers.push(setTimeout(() => child.kill('SIGKILL'), afterMs));
  const server = await startServer(environment, { dataDir, onSpawn: killLater }).catch(() => null);
  await server?.kill();
}

async function killMigration(afterMs: number): Promise<string[]> {
  const dataDir = await makeDataFolder();
  try {
    const older = await makeOlderFolder(dataDir);
    await killStart(dataDir, afterMs);
    const server = await startServer(environment, { dataDir });
    const faults = await verifyOlderFolder(server.origin, older);
    await server.stop();
    return [...faults, ...(await checkFolder(dataDir))];
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}
