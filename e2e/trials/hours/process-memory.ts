import { readdirSync, readFileSync } from 'node:fs';

/** Bytes of real memory that a process and all below it hold now: proportional shares, so that shared pages count once. Linux only. */
export function readTreeMemory(pid: number): number {
  const children = new Map<number, number[]>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const parent = parentOf(Number(name));
    if (parent !== null) children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
  }
  let bytes = 0;
  const left = [pid];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    bytes += memoryOf(next);
    left.push(...(children.get(next) ?? []));
  }
  return bytes;
}

/** null when the process has ended meanwhile */
function parentOf(pid: number): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name, in brackets, may hold anything.
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return null;
  }
}

function memoryOf(pid: number): number {
  try {
    return 1024 * Number(/^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}
