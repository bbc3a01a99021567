import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { uptime } from 'node:os';
import { hasCode } from '../../system-error.ts';

/** Where Linux tells about its processes; other systems have no such folder. */
const PROC = '/proc';
/** Clocks are set now and then; nothing starts a machine twice in so short a time. */
const SAME_BOOT_SECONDS = 60;

/**
 * A name for one run of the server, such as `4711.1c0ffee-123456.b3f1…`: the process id, when that process began, and something random. A
 * process id alone comes again, in a container at every start, and after a power cut it soon belongs to somebody else.
 *
 * @param proc for tests
 */
export const nameOfThisRun = (processId = process.pid, proc = PROC): string =>
  `${processId}.${beginningOf(processId, proc) ?? ''}.${randomUUID()}`;

/** Whether the run of that name is over, seen from the run called `own` on the same machine. One process has one run at a time. */
export function isOver(run: string, own: string, proc = PROC): boolean {
  return run !== own && (run.startsWith(`${process.pid}.`) || !runLives(run, proc));
}

/** Whether the process that gave itself this name lives. */
export function runLives(run: string, proc = PROC): boolean {
  const [processId, began = ''] = run.split('.');
  const found = beginningOf(Number(processId), proc);
  if (found === null) return false;
  const [boot, foundBoot] = [bootSecond(began), bootSecond(found)];
  return boot === null || foundBoot === null ? began === found : Math.abs(boot - foundBoot) <= SAME_BOOT_SECONDS;
}

/**
 * When a process began: on Linux the boot of the machine and the clock tick since then, which no other process has with the same id;
 * elsewhere the boot alone. null when there is no such process, or only its exit code is left to be read.
 */
function beginningOf(processId: number, proc: string): string | null {
  if (!Number.isInteger(processId) || processId <= 0 || !isAlive(processId)) return null;
  const boot = read(`${proc}/sys/kernel/random/boot_id`)?.slice(0, 8);
  if (boot === undefined) return `booted-${Math.round(Date.now() / 1000 - uptime())}`;
  // The name of the program, in parentheses, may have blanks in it.
  const fields = read(`${proc}/${processId}/stat`)
    ?.replace(/^.*\) /s, '')
    .split(' ');
  const [state, ticks] = [fields?.[0], fields?.[19]];
  return state === undefined || state === 'Z' || ticks === undefined ? null : `${boot}-${ticks}`;
}

function bootSecond(began: string): number | null {
  const second = /^booted-(\d+)$/.exec(began)?.[1];
  return second === undefined ? null : Number(second);
}

/** One that belongs to somebody else cannot be signalled, but it does live. */
function isAlive(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    return hasCode(error, 'EPERM');
  }
}

/** @returns undefined when there is no such file */
function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
