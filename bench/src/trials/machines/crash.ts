/**
 * `npm run trial -- crash`: kill -9 of one machine's server, with all its processes, and of single parts of it, at random moments. The next
 * server must know everything that was acknowledged. While a part dies, the server goes on, and each recording gets the same result as
 * always. The tests run it with one kill of each kind.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { timed } from '../../harness/measures.ts';
import { injectFaults } from './inject-faults.ts';
import { killPart, PARTS } from './kill-part.ts';
import { type PartOptions, startMachine } from './machines.ts';
import { COMING_AND_GOING } from './people.ts';
import { checkFolder, whatIsLeft } from './stores.ts';
import { leaveAll } from './verify.ts';

interface CrashOptions extends Omit<PartOptions, 'faults'> {
  readonly kills: number;
}

const endWorkers = new URL('./end-workers.ts', import.meta.url).href;
const required = [
  'signUps',
  'predictions',
  'predictionsInPieces',
  'followed',
  'repeatedRequests',
  'predictionsDeleted',
  'accountsDeleted',
  'jobsTakenUp',
] as const;

export async function runCrashes({ kills, seed, checkout, say }: CrashOptions) {
  const environment = { NODE_OPTIONS: `--import=${endWorkers}` };
  const started = await timed(() => startMachine({ name: 'the server', checkout, environment, restartAfterMs: 0 }));
  await using machine = started.result;
  return await injectFaults({
    machines: { webs: [machine], workers: [] },
    kinds: {
      ...Object.fromEntries(
        PARTS.map((part) => [part, (chance) => killPart(part, machine, chance).then(() => `${part} killed`)]),
      ),
      async working() {
        await machine.kill();
        return 'server killed';
      },
      async starting(chance) {
        await machine.kill();
        await delay(chance.below(started.ms));
        await machine.kill();
        return 'server killed, also while it started';
      },
    },
    groups: [2, 2, 2],
    round: COMING_AND_GOING,
    onBreak: 'throw',
    mostWork: 30,
    longestMomentMs: 500,
    count: kills,
    seed,
    say,
    required,
    cutOff: () => machine.kill(),
    async check(asker, note) {
      const noteAll = (faults: readonly string[]): void => faults.forEach(note);
      noteAll(await checkFolder(machine.dataDir, checkout));
      await leaveAll(asker, note);
      noteAll((await machine.stop()).map((program) => `${program} goes on when the server has ended`));
      if (machine.ownEnds() > 0) note(`the server has ended ${machine.ownEnds()} times by itself`);
      // At this log level no other lines are JSON.
      noteAll(machine.written().match(/^\{.*$/gm) ?? []);
      noteAll(await whatIsLeft(machine.dataDir, checkout));
    },
  });
}
