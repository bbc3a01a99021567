/**
 * `npm run trial -- machines move`: what people keep on one machine is moved to PostgreSQL and S3, and back, by the command that operators
 * use, which is killed on each way. Everyone must find the same predictions, reviews and audio afterwards.
 */
import { join } from 'node:path';
import { startPostgres } from '@chiffchaff/server/testing/start-postgres';
import { startS3 } from '@chiffchaff/server/testing/start-s3';
import { round, timed, until } from '../../harness/measures.ts';
import { runProgram } from '../../harness/processes.ts';
import { createChance } from '../../harness/random.ts';
import { makeDataFolder, thisCheckout } from '../../harness/server.ts';
import { createLedger } from './ledger.ts';
import { type PartOptions, startMachine } from './machines.ts';
import { type Asker, makeSounds, startPeople } from './people.ts';
import { verifyAll } from './verify.ts';

const PEOPLE = 20;
const PREDICTIONS = 500;
const MOST_BYTES = 1_500_000;
/** The command is killed after this long, then after longer and longer, until it gets done. */
const FIRST_KILL_MS = 1500;
const LONGER_BY = 1.6;

export async function runMove({ seed, say, checkout = thisCheckout }: PartOptions) {
  await using stack = new AsyncDisposableStack();
  const [postgres, storage] = await Promise.all([startPostgres({ fsync: true }), startS3()]);
  stack.defer(async () => void (await Promise.all([postgres.stop(), storage.stop()])));
  const stores = { ...storage.environment, DATABASE_URL: postgres.url };
  const ledger = createLedger();
  const faults: string[] = [];
  const note = (fault: string): void => {
    faults.push(fault);
    say(`✗ ${fault}`);
  };

  /** Uses a server while it runs. @returns its data folder */
  async function served(environment: Readonly<Record<string, string>>, use: (asker: Asker) => Promise<void>, dataDir?: string) {
    const folder = dataDir === undefined ? {} : { dataDir };
    const machine = await startMachine({ name: 'the server', checkout, environment, ...folder });
    try {
      await use({ origins: [machine.origin], chance: createChance(seed), ledger, onBreak: 'throw' });
      return machine.dataDir;
    } finally {
      await machine.stop();
    }
  }
  const verify = (where: string) => async (asker: Asker) => {
    await verifyAll(asker, (fault) => note(`${where}: ${fault}`));
    say(`${where}: everything was asked for`);
  };

  async function move(way: 'there' | 'back', dataDir: string) {
    const words = [join(checkout, 'apps/server/src/move/move-command.ts'), ...(way === 'back' ? ['back'] : [])];
    const run = (timeout: number) => timed(() => runProgram(words, { ...stores, DATA_DIR: dataDir }, Math.round(timeout)));
    let kills = 0;
    let whole = await run(FIRST_KILL_MS);
    for (; whole.result.killed; kills += 1) whole = await run(FIRST_KILL_MS * LONGER_BY ** (kills + 1));
    // Without a time after which it is killed.
    const again = await run(0);
    say(whole.result.output.trimEnd());
    for (const { code, output } of [whole.result, again.result]) if (code !== 0) note(`${way}: ended with ${code}: ${output}`);
    if (kills === 0) note(`${way}: it was never killed`);
    return { kills, 'last run, s': round(whole.ms / 1000), 'to compare, s': round(again.ms / 1000) };
  }

  say(`${PREDICTIONS} predictions of ${PEOPLE} accounts`);
  const sounds = (await makeSounds()).filter(({ buffer }) => buffer.length < MOST_BYTES);
  const first = await served({}, async (asker) => {
    const accountsOf = Array.from({ length: PEOPLE }, () => []);
    const stopPeople = startPeople({ ...asker, sounds, accountsOf, round: { reviewed: 1 }, seed, onFault: note });
    await until('they are made', () => ledger.counts.predictions >= PREDICTIONS, { withinMs: 1_800_000 });
    await stopPeople();
    await verify('before')(asker);
  });
  const there = await move('there', first);
  await served(stores, verify('on PostgreSQL and S3'));
  const last = await makeDataFolder(checkout);
  const back = await move('back', last);
  await served({}, verify('back on one machine'), last);
  return { report: { standings: ledger.standings(), counts: ledger.counts, there, back, faults }, passed: faults.length === 0 };
}
