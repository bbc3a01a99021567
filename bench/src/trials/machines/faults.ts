/**
 * `npm run trial -- machines faults`: kill -9 of workers, web machines, PostgreSQL and the S3 server, and connections that are cut, stalled
 * or slow, while people send, follow and cancel recordings.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Line } from '../../harness/line.ts';
import type { Chance } from '../../harness/random.ts';
import { injectFaults, seconds } from './inject-faults.ts';
import { type Cluster, type Machine, type PartOptions, startCluster } from './machines.ts';
import { SENDING } from './people.ts';
import { checkStores, watchAnswers } from './stores.ts';

const SIX_PEOPLE = [1, 1, 1, 1, 1, 1];
const SHORTEST_DOWN_MS = 500;
const LONGEST_DOWN_MS = 6_000;
/** One in this many stalled lines lasts so long that waiting requests give up. */
const LONG_STALL_OF_EVERY = 5;
const LONG_STALL_MS = 40_000;
/** how much later each piece arrives over a slow line */
const SLOW_MS = 100;

export async function runFaults({ faults: count, seed, checkout, say }: PartOptions) {
  await using cluster = await startCluster({ webs: 2, workers: 2, hasLines: true, checkout });
  return await injectIntoCluster(cluster, { kinds: kindsOf(cluster), mostWork: 1, longestMomentMs: 1_500, count, seed, say });
}

/** Injects faults while six people send; then the stores must be in order, and no program may outlive its machine. */
export async function injectIntoCluster(
  cluster: Cluster,
  options: Pick<Parameters<typeof injectFaults>[0], 'kinds' | 'mostWork' | 'longestMomentMs' | 'count' | 'seed' | 'say'>,
) {
  await watchAnswers(cluster);
  const report = await injectFaults({
    ...options,
    machines: cluster,
    groups: SIX_PEOPLE,
    round: SENDING,
    onBreak: 'askAgain',
    async check(_, note) {
      (await checkStores(cluster)).forEach(note);
      for (const program of await cluster.stopMachines()) note(`${program} goes on when its machine has stopped`);
    },
  });
  return { report, passed: report.faults.length === 0 && report.untried.length === 0 };
}

function kindsOf({ webs, workers, postgres, storage, lines }: Cluster) {
  let stalls = 0;
  const down = (chance: Chance): number => SHORTEST_DOWN_MS + chance.below(LONGEST_DOWN_MS - SHORTEST_DOWN_MS);
  const killMachine = (machines: readonly Machine[]) => async (chance: Chance) => {
    const machine = chance.pick(machines);
    await machine?.kill();
    return `${machine?.name} killed`;
  };
  const killStore = (name: string, store: Pick<Cluster['storage'], 'kill' | 'restart'>) => async (chance: Chance) => {
    const downMs = down(chance);
    await store.kill();
    await delay(downMs);
    await store.restart();
    return `${name} killed, away for ${seconds(downMs)}`;
  };
  const impair = async (chance: Chance, how: string, act: (line: Line) => void, downMs = down(chance)): Promise<string> => {
    const line = chance.pick(lines);
    if (line === undefined) throw new Error('There is no line');
    act(line);
    await delay(downMs);
    line.mend();
    return `${line.name} ${how} for ${seconds(downMs)}`;
  };
  return {
    worker: killMachine(workers),
    web: killMachine(webs),
    PostgreSQL: killStore('PostgreSQL', postgres),
    storage: killStore('storage', storage),
    'cut line': (chance: Chance) => impair(chance, 'cut', (line) => line.cut()),
    'stalled line': (chance: Chance) => {
      stalls += 1;
      const downMs = stalls % LONG_STALL_OF_EVERY === 0 ? LONG_STALL_MS : undefined;
      return impair(chance, 'stalled', (line) => line.stall(), downMs);
    },
    'slow line': (chance: Chance) => impair(chance, 'slowed', (line) => line.slow(SLOW_MS)),
  };
}
