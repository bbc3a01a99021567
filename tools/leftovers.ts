import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

const KILL_ROUNDS = 100;

/**
 * Kills every process that refers to `folder`, a run's own temporary folder: everything that a test starts has it in its environment,
 * arguments or working folder. Does nothing without /proc.
 *
 * @returns their ids and command lines
 */
export async function endLeftovers(folder: string): Promise<string[]> {
  const left = new Map<number, string>();
  // Repeated, because a killed process may have just started another, and none ends immediately.
  for (let round = 0; round < KILL_ROUNDS; round += 1) {
    const found = findProcesses(folder);
    if (found.length === 0) break;
    for (const { pid, line } of found) {
      left.set(pid, `${pid} ${line}`);
      kill(pid);
    }
    await delay(20);
  }
  return [...left.values()];
}

function findProcesses(folder: string): { pid: number; line: string }[] {
  if (!existsSync('/proc')) return [];
  return readdirSync('/proc').flatMap((name) => {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid === process.pid) return [];
    try {
      const [environment, line] = [readFileSync(`/proc/${pid}/environ`, 'utf8'), readFileSync(`/proc/${pid}/cmdline`, 'utf8')];
      // A zombie has an empty command line; vitest's watchdog ends with this process.
      const isOurs =
        line !== '' &&
        !line.startsWith('vitest-watchdog') &&
        [environment, line, readlinkSync(`/proc/${pid}/cwd`)].some((text) => text.includes(folder));
      return isOurs ? [{ pid, line: line.replaceAll('\0', ' ').trim().slice(0, 160) }] : [];
    } catch {
      // It ended meanwhile, or belongs to another user.
      return [];
    }
  });
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended meanwhile.
  }
}
