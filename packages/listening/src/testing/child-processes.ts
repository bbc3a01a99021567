import { readdir, readFile } from 'node:fs/promises';

/** Commands of decoders that this process has started and that live; Linux only, elsewhere it sees none. */
export async function childProcesses(): Promise<string[]> {
  const numbers = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    numbers.map(async (number) => {
      const status = await readFile(`/proc/${number}/stat`, 'utf8').catch(() => '');
      const [, command = '', state = '', parent = ''] = /\((.*)\) (\S) (\d+)/.exec(status) ?? [];
      return { id: Number(number), command, state, parent: Number(parent) };
    }),
  );
  // Children, and those of the process that starts them.
  const children = new Set(found.filter(({ parent }) => parent === process.pid).map(({ id }) => id));
  return found
    .filter(({ id, parent, state }) => (children.has(id) || children.has(parent)) && state !== 'Z')
    .map(({ command }) => command)
    .filter((command) => /ffmpeg|^sh$|^sleep$|^stuck$/.test(command));
}
