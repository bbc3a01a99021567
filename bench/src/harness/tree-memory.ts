import { readFileSync } from 'node:fs';
import { readProcessTree } from './process-tree.ts';

/**
 * Physical memory in bytes that a process and its descendants hold now. A read-only part of a file that several of them map (the program
 * itself) counts once, and in full even if other programs share it. Other memory counts by proportional share, so that pages which a fork
 * has not copied yet also count once. Linux only.
 */
export function readTreeMemory(pid: number): number {
  let ownKilobytes = 0;
  const fileKilobytes = new Map<string, number>();
  for (const { file, rss, pss } of readProcessTree(pid).flatMap(mappingsOf)) {
    if (file === null) ownKilobytes += pss;
    else fileKilobytes.set(file, Math.max(fileKilobytes.get(file) ?? 0, rss));
  }
  return 1024 * [...fileKilobytes.values()].reduce((sum, kilobytes) => sum + kilobytes, ownKilobytes);
}

interface Mapping {
  /** Identifies the part of a file that is mapped read-only; null for other memory. */
  readonly file: string | null;
  readonly rss: number;
  readonly pss: number;
}

/** Empty if the process has ended. Sizes in kB. */
function mappingsOf(pid: number): Mapping[] {
  let text = '';
  try {
    text = readFileSync(`/proc/${pid}/smaps`, 'utf8');
  } catch {
    return [];
  }
  return text.split(/\n(?=[0-9a-f]+-[0-9a-f]+ )/).map((mapping) => {
    // address, permissions, offset, device, inode, and the name if there is one
    const [, rights = '', offset, , inode, ...name] = mapping.slice(0, mapping.indexOf('\n')).split(/\s+/);
    const kilobytes = (key: string): number => Number(new RegExp(`^${key}:\\s+(\\d+) kB`, 'm').exec(mapping)?.[1] ?? 0);
    const file = inode === '0' || inode === undefined || rights.includes('w') ? null : `${name.join(' ')} ${offset} ${rights}`;
    return { file, rss: kilobytes('Rss'), pss: kilobytes('Pss') };
  });
}
