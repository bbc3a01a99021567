/**
 * `npm run trial -- crash`: kill -9 of one machine's server, with all its processes, and of single parts of it, at random moments. The next
 * server must know everything that was acknowledged. While a part dies, the server goes on, and each recording gets the same result as
 * always. The tests run it with one kill of each kind.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { timed, until } from '../../harness/measures.ts';
import { commandLineOf } from '../../harness/processes.ts';
import type { Chance } from '../../harness/random.ts';
import { WORKER_ENDED } from './end-workers.ts';
import { injectFaults } from './inject-faults.ts';
import { type Machine, type PartOptions, startMachine } from './machines.ts';
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

/** The parts of a server that can die while the web process lives: an ffmpeg, the analysis process, and a thread that runs the model. */
const PARTS = ['decoder', 'analysis', 'worker'] as const;

const patience = { withinMs: 20_000, everyMs: 2 };
/** longest time from a decoder's start to a kill */
const INTO_DECODING_MS = 80;

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

/** Kills one part of a machine's server while a decoder is running. @throws Error when there is nothing to kill */
async function killPart(part: (typeof PARTS)[number], machine: Machine, chance: Chance): Promise<void> {
  const find = (program: RegExp): number[] => machine.processes().filter((pid) => program.test(commandLineOf(pid)));
  const decoders = (): number[] => find(/^[^\0]*\bffmpeg[^\0/]*\0/);
  const countEnded = (): number => machine.written().split(WORKER_ENDED).length;
  const endedBefore = countEnded();
  await until(
    `a ${part} could be killed`,
    async () => {
      if (decoders().length === 0) return false;
      await delay(chance.below(INTO_DECODING_MS));
      if (part === 'decoder') return kill(chance.pick(decoders()), 'SIGKILL');
      const [analysis] = find(/analysis-program/);
      if (part === 'worker') return kill(analysis, 'SIGUSR2');
      return decoders().length > 0 && kill(analysis, 'SIGKILL');
    },
    patience,
  );
  if (part === 'worker') await until('a worker has ended', () => countEnded() > endedBefore, patience);
}

/** @returns false if there was nothing to kill */
function kill(pid: number | undefined, signal: NodeJS.Signals): boolean {
  try {
    return pid !== undefined && process.kill(pid, signal);
  } catch {
    return false;
  }
}
