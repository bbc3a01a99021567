import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createChance } from '../../harness/random.ts';
import { makeSounds } from '../crash/sounds.ts';
import type { Asker } from './ask-again.ts';
import { startCluster } from './cluster.ts';
import { openLedger } from './ledger.ts';
import { type Person, signUpPerson, startPeople } from './people.ts';
import { verifyAll } from './verify.ts';
import { watchAnswers } from './verify-stores.ts';

const run = promisify(execFile);
const thisCheckout = fileURLToPath(new URL('../../../..', import.meta.url));
const persons = 6;
const aloneMs = 5_000;
const togetherMs = 60_000;

export interface UpgradeOptions {
  /** null: the commit before the last migration */
  readonly older: string | null;
}

/** Runs a web and a worker machine of an older commit, then one of each of this version alongside, on one database under load. */
export async function runUpgrade({ older }: UpgradeOptions, say: (line: string) => void) {
  const checkout = join(tmpdir(), 'older');
  const wrong: string[] = [];
  const note = (fault: string): void => {
    wrong.push(fault);
    say(`✗ ${fault}`);
  };
  const commit = older ?? (await commitBeforeMigration());
  say(`making a checkout of ${commit}`);
  await makeCheckout(commit, checkout);
  try {
    await using stack = new AsyncDisposableStack();
    const cluster = stack.adopt(await startCluster({ webs: 0, workers: 0 }), (started) => started.stop());
    const olderWeb = await cluster.add('web', { checkout });
    const olderWorker = await cluster.add('worker', { checkout });
    await watchAnswers(cluster);
    const people: Person[] = [];
    for (let one = 0; one < persons; one += 1) people.push(await signUpPerson(olderWeb.origin));
    const ledger = openLedger(join(tmpdir(), 'ledger.jsonl'));
    const origins = [olderWeb.origin];
    const life = startPeople({
      ledger,
      people,
      origins,
      mayBreak: false,
      seed: 1,
      sounds: await makeSounds(),
      onFault: note,
    });
    await delay(aloneMs);
    say('this version joins');
    const web = await cluster.add('web');
    origins.push(web.origin);
    await cluster.add('worker');
    await delay(togetherMs);
    say('the older version leaves');
    origins.shift();
    await olderWorker.stop();
    await delay(aloneMs);
    await life.stop();
    const asker: Asker = { origins, chance: createChance(1), mayBreak: false, counts: { busy: 0, broken: 0 } };
    const standings = ledger.read();
    for (const found of await verifyAll(cluster, asker, people, standings)) note(found);
    for (const { name, written } of [...cluster.webs, ...cluster.workers]) {
      const errors = written()
        .split('\n')
        .filter((line) => /"level":(50|60)/.test(line));
      for (const error of errors) note(`${name}: ${error}`);
    }
    return { report: { commit, recordings: standings.length, counts: life.counts, wrong }, passed: wrong.length === 0 };
  } finally {
    await run('git', ['worktree', 'remove', '--force', checkout], { cwd: thisCheckout });
  }
}

/** The commit before the one that last added a migration. */
async function commitBeforeMigration(): Promise<string> {
  const path = 'apps/server/src/database/migrations.ts';
  const { stdout } = await run('git', ['log', '-1', '--format=%h^', '-G', '^  *name:', '--', path], { cwd: thisCheckout });
  return stdout.trim();
}

/** Creates a checkout with its packages. The page is this version's, because it is not tested here. */
async function makeCheckout(commit: string, checkout: string): Promise<void> {
  // A killed run leaves its entry behind, although its folder no longer exists.
  await run('git', ['worktree', 'prune'], { cwd: thisCheckout });
  await run('git', ['worktree', 'add', '--detach', checkout, commit], { cwd: thisCheckout });
  const install = ['install', '--frozen-lockfile', '--prefer-offline', '--reporter=silent'];
  await run('pnpm', install, { cwd: checkout, env: { ...process.env, CI: '1' } });
  const [page, older] = [thisCheckout, checkout].map((folder) => join(folder, 'apps/web/dist')) as [string, string];
  if (existsSync(page)) {
    await rm(older, { recursive: true, force: true });
    await symlink(page, older);
  }
}
