import { readFileSync } from 'node:fs';
import { readProcessTree } from './process-tree.ts';

/**
 * Bytes of real memory that a process and all below it hold now. Pages of a file that several of them have mapped (the program itself)
 * count once, and in full even when other programs on the machine share them; memory of their own counts by proportional share, so that
 * what a fork has not copied yet counts once too. Linux only.
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
  /** The part of a file that is mapped; null for memory without a file. */
  readonly file: string | null;
  readonly rss: number;
  readonly pss: number;
}

/** Of a process that has ended meanwhile there are none. Sizes in kB. */
function mappingsOf(pid: number): Mapping[] {
  let text = '';
  try {
    text = readFileSync(`/proc/${pid}/smaps`, 'utf8');
  } catch {
    return [];
  }
  return text.split(/\n(?=[0-9a-f]+-[0-9a-f]+ )/).map((mapping) => {
    // address, rights, offset, device, inode, and the name if there is one
    const [, rights = '', offset, , inode, ...name] = mapping.slice(0, mapping.indexOf('\n')).split(/\s+/);
    const kilobytes = (key: string): number => Number(new RegExp(`^${key}:\\s+(\\d+) kB`, 'm').exec(mapping)?.[1] ?? 0);
    const file = inode === '0' || inode === undefined || rights.includes('w') ? null : `${name.join(' ')} ${offset} ${rights}`;
    return { file, rss: kilobytes('Rss'), pss: kilobytes('Pss') };
  });
}
