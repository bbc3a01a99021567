import { readdir, readFile } from 'node:fs/promises';

/**
 * Memory of a process and all its descendants, with shared pages counted once (proportional set size of Linux).
 * @returns bytes, or null where the system does not tell
 */
export async function readProcessTreeBytes(rootPid: number): Promise<number | null> {
  const parents = await readParents();
  if (parents === null) return null;
  const isInTree = (pid: number): boolean => {
    for (let each: number | undefined = pid; each !== undefined && each > 1; each = parents.get(each))
      if (each === rootPid) return true;
    return false;
  };
  const sizes = await Promise.all([...parents.keys()].filter(isInTree).map(readProportionalBytes));
  return sizes.reduce((sum, size) => sum + size, 0);
}

async function readParents(): Promise<Map<number, number> | null> {
  const entries = await readdir('/proc').catch(() => null);
  if (entries === null) return null;
  const parents = new Map<number, number>();
  for (const entry of entries) {
    if (!/^\d+$/.test(entry)) continue;
    const stat = await readFile(`/proc/${entry}/stat`, 'utf8').catch(() => '');
    // The name in parentheses may hold anything, so the fields are counted from its end: state, then the parent.
    const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
    if (Number.isInteger(parent)) parents.set(Number(entry), parent);
  }
  return parents;
}

async function readProportionalBytes(pid: number): Promise<number> {
  const rollup = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '');
  return Number(/^Pss:\s+(\d+) kB$/m.exec(rollup)?.[1] ?? 0) * 1024;
}
