import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import type { Browser } from 'playwright-core';

/** Ids of a process and its descendants. Linux only. */
export function readProcessTree(pid: number): number[] {
  const children = new Map<number, number[]>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const parent = Number(readStat(Number(name))[1]);
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

/** Clock ticks a second in /proc (`USER_HZ`). */
const TICKS = 100;

/** Seconds of processor time used by processes and by their child processes that have ended. A process that has ended counts as 0. */
export const readProcessorSeconds = (pids: readonly number[]): number =>
  pids.flatMap((pid) => readStat(pid).slice(11, 15)).reduce((sum, ticks) => sum + Number(ticks) / TICKS, 0);

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
  const mappings = read(`/proc/${pid}/smaps`);
  return mappings.split(/\n(?=[0-9a-f]+-[0-9a-f]+ )/).map((mapping) => {
    // address, permissions, offset, device, inode, and the name if there is one
    const [, rights = '', offset, , inode, ...name] = mapping.slice(0, mapping.indexOf('\n')).split(/\s+/);
    const kilobytes = (key: string): number => Number(new RegExp(`^${key}:\\s+(\\d+) kB`, 'm').exec(mapping)?.[1] ?? 0);
    const file = inode === '0' || inode === undefined || rights.includes('w') ? null : `${name.join(' ')} ${offset} ${rights}`;
    return { file, rss: kilobytes('Rss'), pss: kilobytes('Pss') };
  });
}

/** Private memory of the largest tab's process in MB, which closing the tab would free. Linux only. */
export async function readTabMemory(browser: Browser): Promise<number> {
  const { processInfo } = await (await browser.newBrowserCDPSession()).send('SystemInfo.getProcessInfo');
  const sizes = processInfo
    .filter(({ type }) => type === 'renderer')
    .map(({ id }) => [...read(`/proc/${id}/smaps_rollup`).matchAll(/^Private_\w+:\s+(\d+) kB/gm)])
    .map((sizes) => sizes.reduce((sum, [, kB]) => sum + Number(kB) / 1000, 0));
  return Math.max(...sizes);
}

/** Runs a program of ours until it ends, or kills it after a time in milliseconds; 0: never. */
export async function runProgram(
  words: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
  timeout = 0,
) {
  const { PATH, TMPDIR } = process.env;
  const options = { env: { PATH, TMPDIR, ...environment }, timeout, killSignal: 'SIGKILL' as const, maxBuffer: 1e8 };
  return new Promise<{ readonly code: unknown; readonly output: string; readonly killed: boolean }>((resolve) => {
    execFile(process.execPath, words, options, (error, stdout, stderr) =>
      resolve({
        code: error ? (error.code ?? error.signal) : 0,
        output: `${stdout}\n${stderr}`,
        killed: error?.signal === 'SIGKILL',
      }),
    );
  });
}

/** What /proc says of a process, from the third field on; the second is a name in parentheses, which may contain anything. */
function readStat(pid: number): readonly string[] {
  const stat = read(`/proc/${pid}/stat`);
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

/** Empty if the process has ended. */
function read(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}
