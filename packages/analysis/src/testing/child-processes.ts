import { descendants } from './descendants.ts';

/** Commands of the running decoders that this process has started; Linux only, empty elsewhere. */
export async function childProcesses(): Promise<string[]> {
  return (await descendants()).map(({ command }) => command).filter((command) => /ffmpeg|^sh$|^sleep$|^stuck$/.test(command));
}
