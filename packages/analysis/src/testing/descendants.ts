import { readdir, readFile } from 'node:fs/promises';

/** A living process that this one has started, or one of its children has. */
export interface Descendant {
  readonly id: number;
  /** name of the program, at most 15 characters */
  readonly command: string;
  readonly commandLine: string;
}

/** Children of this process and theirs, without those that have ended; Linux only, elsewhere it sees none. */
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
