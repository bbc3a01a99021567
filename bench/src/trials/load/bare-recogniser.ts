import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { memorySettings } from '../../harness/server.ts';

const run = promisify(execFile);
const pathOf = (file: string): string => fileURLToPath(new URL(file, import.meta.url));

/**
 * How many recordings a second this machine analyses without a server: the same analyzer on the same file in a separate process, as many
 * concurrently as in the server, with the server's memory settings. Includes decoding.
 *
 * @throws Error when it fails
 */
export async function measureBareRecogniser(path: string, seconds: number): Promise<number> {
  const { stdout } = await run(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', pathOf('recogniser-alone.ts'), path, String(seconds)],
    {
      env: { ...memorySettings(), PATH: process.env.PATH, FFMPEG_PATH: process.env.FFMPEG_PATH },
    },
  );
  return Number(stdout);
}
