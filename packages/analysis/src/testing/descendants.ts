import { readdir, readFile } from 'node:fs/promises';

/** A running child or grandchild of this process. */
export interface Descendant {
  readonly id: number;
  /** program name, at most 15 characters */
  readonly command: string;
  readonly commandLine: string;
}

/** Running children and grandchildren of this process; Linux only, empty elsewhere. */
export async function descendants(): Promise<Descendant[]> {
  const numbers = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    numbers.map(async (number) => {
      const status = await readFile(`/proc/${number}/stat`, 'utf8').catch(() => '');
      const commandLine = await readFile(`/proc/${number}/cmdline`, 'latin1').catch(() => '');
      const [, command = '', state = '', parent = ''] = /\((.*)\) (\S) (\d+)/.exec(status) ?? [];
      return { id: Number(number), command, commandLine, state, parent: Number(parent) };
    }),
  );
  const children = new Set(found.filter(({ parent }) => parent === process.pid).map(({ id }) => id));
  return found.filter(({ id, parent, state }) => (children.has(id) || children.has(parent)) && state !== 'Z');
}
