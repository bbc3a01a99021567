import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { withoutAttemptLimits } from '../harness/accounts.ts';
import { createChance } from '../harness/random.ts';
import { makeDataFolder, type StartedServer, startServer } from '../harness/server.ts';
import type { Asker } from './machines/ask-again.ts';
import { createLedger, type Ledger, type Standing } from './machines/ledger.ts';
import { COMING_AND_GOING, startPeople } from './machines/people.ts';
import { makeSounds } from './machines/sounds.ts';
import { backUpFolder, checkFolder, whatIsLeft } from './machines/stores.ts';
import { leaveAll, verifyAll } from './machines/verify.ts';

export interface RestoreOptions {
  /** How long clients use the server before the backup starts; they continue during it. */
  readonly seconds: number;
  readonly seed: number;
  readonly say: (line: string) => void;
}

const people = 6;
const environment = { OPEN_PREDICTION: 'false', LOG_LEVEL: 'error', ...withoutAttemptLimits };

/**
 * Takes a backup while clients use the server, restores it elsewhere, and checks on a server there everything that had been acknowledged
 * when the backup started.
 */
export async function runRestore({ seconds, seed, say }: RestoreOptions) {
  const ledger = createLedger();
  const sounds = await makeSounds();
  const folder = await mkdtemp(join(tmpdir(), 'chiffchaff-restore-'));
  const dataDir = await makeDataFolder();
  const restoredDir = await makeDataFolder();
  const servers: StartedServer[] = [];
  try {
    const server = await startServer(environment, { dataDir, asGroup: true });
    servers.push(server);
    const faults: string[] = [];
    const stopPeople = startPeople({
      ledger,
      sounds,
      seed,
      round: COMING_AND_GOING,
      onBreak: 'throw',
      origins: [server.origin],
      accountsOf: Array.from({ length: people }, () => []),
      onFault: (fault) => faults.push(fault),
    });
    await delay(seconds * 1000);
    const before = { ...ledger.counts };
    const known = standingsOf(ledger);
    say('taking a backup');
    const start = performance.now();
    faults.push(...(await backUpFolder(dataDir, join(folder, 'backup'))));
    const backupMs = Math.round(performance.now() - start);
    forgetWhatChanged(known, ledger);
    await delay(1000);
    const stopped = stopPeople();
    await server.kill();
    await stopped;

    say('starting a server on the copy');
    faults.push(...(await checkFolder(join(folder, 'backup'))));
    await cp(join(folder, 'backup'), restoredDir, { recursive: true });
    const restored = await startServer(environment, { dataDir: restoredDir, asGroup: true });
    servers.push(restored);
    takeBack(known, ledger);
    const asker: Asker = { ledger, chance: createChance(seed), origins: [restored.origin], onBreak: 'throw' };
    const note = (fault: string): void => void faults.push(fault);
    await verifyAll(asker, note);
    const standings = ledger.standings();
    faults.push(...(await checkFolder(restoredDir)));
    await leaveAll(asker, note);
    await restored.stop();
    faults.push(...(await whatIsLeft(restoredDir)));
    const { soundsPlayed, jobsTakenUp } = ledger.counts;
    if (before.predictions === 0 || soundsPlayed === 0) faults.push('too little was acknowledged for a trial');
    return {
      backupMs,
      acknowledgedBefore: before,
      jobsTakenUp,
      soundsPlayed,
      standings,
      faults,
    };
  } finally {
    for (const server of servers) await server.kill();
    for (const each of [folder, dataDir, restoredDir]) await rm(each, { recursive: true, force: true });
  }
}

/** What was known about an account or recording when the backup started. */
interface KnownState {
  readonly standing: Standing;
  readonly wasInWork: boolean;
}
type Standings = Map<object, KnownState>;

const entriesOf = ({ accounts }: Ledger) => accounts.flatMap((account) => [account, ...account.sent]);

const knownOf = (entry: { standing: Standing; wasInWork?: boolean }): KnownState => ({
  standing: entry.standing,
  wasInWork: entry.wasInWork ?? false,
});

const standingsOf = (ledger: Ledger): Standings => new Map(entriesOf(ledger).map((entry) => [entry, knownOf(entry)]));

/** What changed during the backup may be in it in either state. */
function forgetWhatChanged(known: Standings, ledger: Ledger): void {
  for (const entry of entriesOf(ledger)) if (known.get(entry)?.standing !== entry.standing) known.delete(entry);
}

/** Resets the ledger to the state of the backup; `leaving` stands for entries that may be in either state. */
function takeBack(known: Standings, ledger: Ledger): void {
  for (const account of ledger.accounts) {
    account.standing = known.get(account)?.standing ?? 'leaving';
    for (const sent of account.sent) {
      const before = known.get(sent);
      sent.standing = before?.standing ?? 'leaving';
      // What was learnt later is not in the backup.
      sent.wasInWork = before?.wasInWork ?? false;
    }
  }
}
