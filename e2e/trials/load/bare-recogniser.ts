import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { createListener } from '@chiffchaff/listening';
import { modelFolderOf } from '@chiffchaff/models';
import { findFfmpeg } from '../recordings.ts';

/**
 * How many recordings a second this machine listens to without any server: the same listener on the same file, as many at a time as
 * the server takes. Decoding is part of it: nobody can listen without.
 */
export async function measureBareRecogniser(path: string, seconds: number): Promise<{ readonly perSecond: number }> {
  const workers = availableParallelism();
  const listener = await createListener({
    modelFolderPath: modelFolderOf(fileURLToPath(new URL('../../../data', import.meta.url)), 'birdnet-v2.4'),
    ffmpegPath: await findFfmpeg(),
    workers,
  });
  const { signal } = new AbortController();
  const identify = () => listener.identify({ path, fileName: null }, { signal });
  await identify();
  const start = performance.now();
  const elapsedSeconds = () => (performance.now() - start) / 1000;
  let done = 0;
  async function keepListening(): Promise<void> {
    while (elapsedSeconds() < seconds) {
      await identify();
      done += 1;
    }
  }
  await Promise.all(Array.from({ length: 2 * workers }, keepListening));
  const perSecond = done / elapsedSeconds();
  await listener.close();
  return { perSecond };
}
