import { setTimeout as delay } from 'node:timers/promises';
import { until } from '../../harness/measures.ts';
import { commandLineOf } from '../../harness/processes.ts';
import type { Chance } from '../../harness/random.ts';
import { WORKER_ENDED } from './end-workers.ts';
import type { Machine } from './machines.ts';

/** The parts of a server that can die while the web process lives: an ffmpeg, the analysis process, and a thread that runs the model. */
export const PARTS = ['decoder', 'analysis', 'worker'] as const;
export type Part = (typeof PARTS)[number];

const patience = { withinMs: 20_000, everyMs: 2 };
/** longest time from a decoder's start to a kill */
const INTO_DECODING_MS = 80;

/** Kills one part of a machine's server while a decoder is running. @throws Error when there is nothing to kill */
export async function killPart(part: Part, machine: Machine, chance: Chance): Promise<void> {
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
