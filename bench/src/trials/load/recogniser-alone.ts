/**
 * `node recogniser-alone.ts FILE SECONDS` analyses a file repeatedly for this long, without a server but as many times concurrently, and
 * prints the number of analyses per second. The load trial runs it with the server's memory settings.
 */
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { openAnalyzer } from '@chiffchaff/analysis';
import { modelFolderOf } from '@chiffchaff/models';
import { findFfmpeg } from '../../harness/make-recording.ts';
import { createSteadyRate } from './steady-rate.ts';

const [path = '', seconds] = process.argv.slice(2);
const workers = availableParallelism();
const analyzer = await openAnalyzer({
  modelFolderPath: modelFolderOf(fileURLToPath(new URL('../../../../data', import.meta.url)), 'birdnet-v2.4'),
  ffmpegPath: await findFfmpeg(),
  workers,
});
const { signal } = new AbortController();
const identify = () => analyzer.analyze({ path, fileName: null }, { signal });
await identify();
const steady = createSteadyRate(Number(seconds));
async function keepAnalyzing(): Promise<void> {
  while (!steady.isOver) {
    await identify();
    steady.count();
  }
}
await Promise.all(Array.from({ length: 2 * workers }, keepAnalyzing));
process.stdout.write(`${steady.perSecond}\n`);
await analyzer.close();
