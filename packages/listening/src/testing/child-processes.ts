import { readdir, readFile } from 'node:fs/promises';

/** Commands of this process's living children; Linux only, elsewhere it sees none. */
export async function childProcesses(): Promise<string[]> {
  const numbers = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    numbers.map(async (number) => {
      const status = await readFile(`/proc/${number}/stat`, 'utf8').catch(() => '');
      const [, command = '', state = '', parent = ''] = /\((.*)\) (\S) (\d+)/.exec(status) ?? [];
      return Number(parent) === process.pid && state !== 'Z' ? command : '';
    }),
  );
  return found.filter((command) => /ffmpeg|^sh$/.test(command));
}
