import { readdirSync, readFileSync } from 'node:fs';

/** Ids of a process and its descendants. Linux only. */
export function readProcessTree(pid: number): number[] {
  const children = new Map<number, number[]>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const stat = read(`/proc/${name}/stat`);
    // The command name, in parentheses, may contain anything.
    const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
    children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
  }
  const below = (id: number): number[] => [id, ...(children.get(id) ?? []).flatMap(below)];
  return below(pid);
}

/** Empty if the process has ended. */
export const commandLineOf = (pid: number): string => read(`/proc/${pid}/cmdline`);

/** Whether a process is an analysis process. */
export const isAnalysis = (pid: number): boolean => commandLineOf(pid).includes('analysis-program');

/** The id of a server's analysis process. @throws Error when there is none */
export function analysisProcessOf(serverPid: number): number {
  const found = readProcessTree(serverPid).find(isAnalysis);
  if (found === undefined) throw new Error('There is no analysis process');
  return found;
}

/** Empty if the process has ended. */
function read(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}
