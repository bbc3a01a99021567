import { descendants } from './descendants.ts';

/** Commands of decoders that this process has started and that live; Linux only, elsewhere it sees none. */
export async function childProcesses(): Promise<string[]> {
  return (await descendants()).map(({ command }) => command).filter((command) => /ffmpeg|^sh$|^sleep$|^stuck$/.test(command));
}
