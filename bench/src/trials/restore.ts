import { cp, mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { withoutAttemptLimits } from '../harness/api.ts';
import { timed } from '../harness/measures.ts';
import { createChance } from '../harness/random.ts';
import { makeOwnDataFolder, type StartedServer, startServer } from '../harness/server.ts';
import { createLedger, type Ledger, type Standing } from './machines/ledger.ts';
import { type Asker, COMING_AND_GOING, makeSounds, startPeople } from './machines/people.ts';
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
  await using folder = await mkdtempDisposable(join(tmpdir(), 'chiffchaff-restore-'));
  const backup = join(folder.path, 'backup');
  await using data = await makeOwnDataFolder();
  await using restoredData = await makeOwnDataFolder();
  await using servers = new AsyncDisposableStack();
  const start = async (dataDir: string): Promise<StartedServer> => {
    const server = await startServer(environment, { dataDir, asGroup: true });
    servers.defer(() => server.kill());
    return server;
  };
  const server = await start(data.path);
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
  const { result, ms: backupMs } = await timed(() => backUpFolder(data.path, backup));
  faults.push(...result);
  forgetWhatChanged(known, ledger);
  await delay(1000);
  const stopped = stopPeople();
  await server.kill();
  await stopped;

  say('starting a server on the copy');
  faults.push(...(await checkFolder(backup)));
  await cp(backup, restoredData.path, { recursive: true });
  const restored = await start(restoredData.path);
  takeBack(known, ledger);
  const asker: Asker = { ledger, chance: createChance(seed), origins: [restored.origin], onBreak: 'throw' };
  const note = (fault: string): void => void faults.push(fault);
  await verifyAll(asker, note);
  const standings = ledger.standings();
  faults.push(...(await checkFolder(restoredData.path)));
  await leaveAll(asker, note);
  await restored.stop();
  faults.push(...(await whatIsLeft(restoredData.path)));
  const { soundsPlayed, jobsTakenUp } = ledger.counts;
  if (before.predictions === 0 || soundsPlayed === 0) faults.push('too little was acknowledged for a trial');
  return { backupMs, acknowledgedBefore: before, jobsTakenUp, soundsPlayed, standings, faults };
}

/** An account or recording, or what was known about it when the backup started. */
interface Entry {
  standing: Standing;
  wasInWork?: boolean;
}
type Standings = Map<Entry, Entry>;

const entriesOf = ({ accounts }: Ledger): Entry[] => accounts.flatMap((account) => [account, ...account.sent]);

const standingsOf = (ledger: Ledger): Standings => new Map(entriesOf(ledger).map((entry) => [entry, { ...entry }]));

/** What changed during the backup may be in it in either state. */
function forgetWhatChanged(known: Standings, ledger: Ledger): void {
  for (const entry of entriesOf(ledger)) if (known.get(entry)?.standing !== entry.standing) known.delete(entry);
}

/** Resets the ledger to the state of the backup; `leaving` stands for entries that may be in either state. */
function takeBack(known: Standings, ledger: Ledger): void {
  for (const entry of entriesOf(ledger)) {
    const { standing = 'leaving', wasInWork = false } = known.get(entry) ?? {};
    // What was learnt later is not in the backup.
    Object.assign(entry, { standing, wasInWork });
  }
}
