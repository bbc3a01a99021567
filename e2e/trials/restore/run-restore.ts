import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { makeDataFolder, startServer } from '../../server.ts';
import { act } from '../crash/actor.ts';
import { backUpFolder, checkFolder } from '../crash/folders.ts';
import { countLedger, createLedger, type Ledger, type Standing } from '../crash/ledger.ts';
import { verifyLedger } from '../crash/verify.ts';
import { withoutAttemptLimits } from '../people.ts';
import { createChance } from '../random.ts';

export interface RestoreOptions {
  /** How long people use the server before, and while, the backup is taken. */
  readonly seconds: number;
  readonly seed: number;
  readonly say: (line: string) => void;
}

const actors = 4;
const environment = { OPEN_PREDICTION: 'false', LOG_LEVEL: 'error', ...withoutAttemptLimits };

/**
 * Takes a backup while people use the server, restores it elsewhere, and asks a server there for everything that had been acknowledged
 * when the backup began.
 */
export async function runRestore({ seconds, seed, say }: RestoreOptions) {
  const chance = createChance(seed);
  const ledger = createLedger();
  const folder = await mkdtemp(join(tmpdir(), 'chiffchaff-restore-'));
  const dataDir = await makeDataFolder();
  const restoredDir = await makeDataFolder();
  try {
    const server = await startServer(environment, { dataDir });
    const lives = Array.from({ length: actors }, () => act(server.origin, ledger, [], createChance(chance.below(2 ** 31))));
    await delay(seconds * 1000);
    const known = standingsOf(ledger);
    say('taking a backup');
    const start = performance.now();
    await backUpFolder(dataDir, join(folder, 'backup'));
    const backupMs = Math.round(performance.now() - start);
    forgetWhatChanged(known, ledger);
    await delay(1000);
    await server.kill();
    await Promise.allSettled(lives);

    say('starting a server on the copy');
    const faults = await checkFolder(join(folder, 'backup'));
    await cp(join(folder, 'backup'), restoredDir, { recursive: true });
    const restored = await startServer(environment, { dataDir: restoredDir });
    takeBack(known, ledger);
    faults.push(...(await verifyLedger(restored.origin, ledger)));
    await restored.stop();
    faults.push(...(await checkFolder(restoredDir)));
    return { backupMs, ...countLedger(ledger), faults };
  } finally {
    for (const each of [folder, dataDir, restoredDir]) await rm(each, { recursive: true, force: true });
  }
}

type Standings = Map<object, Standing>;

const entriesOf = ({ people }: Ledger) => people.flatMap((person) => [person, ...person.sent]);

const standingsOf = (ledger: Ledger): Standings => new Map(entriesOf(ledger).map((entry) => [entry, entry.standing]));

/** What changed while the copy was made may be in it either way. */
function forgetWhatChanged(known: Standings, ledger: Ledger): void {
  for (const entry of entriesOf(ledger)) if (known.get(entry) !== entry.standing) known.delete(entry);
}

/** The ledger as it stood when the copy was made; `leaving` is what either outcome is right of. */
function takeBack(known: Standings, ledger: Ledger): void {
  for (const person of ledger.people) {
    person.standing = known.get(person) ?? 'leaving';
    for (const sent of person.sent) {
      sent.standing = known.get(sent) ?? 'leaving';
      // What was heard of it later is not in the copy.
      sent.wasInWork = false;
    }
  }
}
