import { globSync, readFileSync, readlinkSync } from 'node:fs';
import { basename, join } from 'node:path';

const KILL_ROUNDS = 100;
const PAUSE_MS = 20;

/**
 * Kills every process that refers to `folder`, a run's own temporary folder: everything that a test starts has it in its environment,
 * arguments or working folder. Does nothing without /proc. Blocks: nothing else happens in a run that is being stopped.
 *
 * @returns their ids and command lines
 */
export function endLeftovers(folder: string): string[] {
  const left = new Map<number, string>();
  // Repeated, because a killed process may have just started another, and none ends immediately.
  for (let round = 0; round < KILL_ROUNDS; round += 1) {
    const killed = killThose(folder);
    if (killed.length === 0) break;
    for (const { pid, line } of killed) left.set(pid, `${pid} ${line}`);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
  }
  return [...left.values()];
}

function killThose(folder: string): { pid: number; line: string }[] {
  return globSync('/proc/[0-9]*').flatMap((path) => {
    const pid = Number(basename(path));
    if (pid === process.pid) return [];
    try {
      const [environment, line] = [readFileSync(join(path, 'environ'), 'utf8'), readFileSync(join(path, 'cmdline'), 'utf8')];
      // A zombie has an empty command line; vitest's watchdog ends with this process.
      if (line === '' || line.startsWith('vitest-watchdog')) return [];
      if (![environment, line, readlinkSync(join(path, 'cwd'))].some((text) => text.includes(folder))) return [];
      process.kill(pid, 'SIGKILL');
      return [{ pid, line: line.replaceAll('\0', ' ').trim().slice(0, 160) }];
    } catch {
      // It ended meanwhile, or belongs to another user.
      return [];
    }
  });
}
