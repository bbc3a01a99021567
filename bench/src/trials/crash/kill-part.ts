import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { Chance } from '../../harness/random.ts';
import type { StartedServer } from '../../harness/server.ts';
import { WORKER_ENDED } from './end-workers.ts';

/** The parts of a server that can die while the web process lives: an ffmpeg, the analysis process, and a thread that runs the model. */
export const parts = ['decoder', 'analysis', 'worker'] as const;
export type Part = (typeof parts)[number];

const patienceMs = 20_000;
const lookEveryMs = 2;
/** longest time from a decoder's start to a kill */
const intoDecodingMs = 80;

/**
 * Kills one part of a server that leads a process group, while a decoder is running.
 *
 * @returns faults
 */
export async function killPart(part: Part, server: StartedServer, chance: Chance): Promise<string[]> {
  const deadline = performance.now() + patienceMs;
  const endedBefore = countEnded(server);
  while (performance.now() < deadline) {
    if (findProcesses(server, isDecoder).length > 0) {
      await delay(chance.below(intoDecodingMs));
      if (part === 'worker' || findProcesses(server, isDecoder).length > 0) {
        if (part === 'decoder' && kill(chance.pick(findProcesses(server, isDecoder)), 'SIGKILL')) return [];
        if (part === 'analysis' && kill(findProcesses(server, isAnalysis)[0], 'SIGKILL')) return [];
        if (part === 'worker' && kill(findProcesses(server, isAnalysis)[0], 'SIGUSR2')) break;
      }
    }
    await delay(lookEveryMs);
  }
  while (part === 'worker' && performance.now() < deadline) {
    if (countEnded(server) > endedBefore) return [];
    await delay(lookEveryMs);
  }
  return [`no ${part} could be killed within ${patienceMs / 1000} s`];
}

const countEnded = (server: StartedServer): number => server.written().split(WORKER_ENDED).length;

interface Process {
  readonly command: string;
  readonly commandLine: string;
}
const isDecoder = ({ command }: Process): boolean => command.startsWith('ffmpeg');
const isAnalysis = ({ commandLine }: Process): boolean => commandLine.includes('analysis-program');

/** Ids of the running processes in a server's group that match. */
function findProcesses(server: StartedServer, wanted: (found: Process) => boolean): number[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    const [, command = '', state = '', group = ''] = /\((.*)\) (\S) \d+ (\d+)/.exec(read(`/proc/${name}/stat`)) ?? [];
    if (state === 'Z' || Number(group) !== server.pid) return [];
    return wanted({ command, commandLine: read(`/proc/${name}/cmdline`) }) ? [Number(name)] : [];
  });
}

/** Empty if the process has ended. */
function read(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}

/** @returns false if there was nothing to kill */
function kill(pid: number | undefined, signal: NodeJS.Signals): boolean {
  if (pid === undefined) return false;
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}
