/**
 * `node recogniser-alone.ts FILE SECONDS` analyses a file repeatedly for this long, without a server but as many times concurrently, and
 * prints the number of analyses per second. The load trial runs it with the server's memory settings.
 */
import { openAnalyzer } from '@chiffchaff/analysis';
import { findFfmpeg, readConfig } from '@chiffchaff/cli';
import { installed, thisCheckout } from '../../harness/server.ts';
import { createSteadyRate } from './steady-rate.ts';

const [path = '', seconds] = process.argv.slice(2);
const config = readConfig(process.env, thisCheckout);
const { signal } = new AbortController();
const ffmpegPath = await findFfmpeg(config, signal);
const analyzer = await openAnalyzer({ modelFolderPath: installed.modelFolder, ffmpegPath, workers: config.workers });
const identify = () => analyzer.analyze({ path, fileName: null }, { signal });
await identify();
const steady = createSteadyRate(Number(seconds));
async function keepAnalyzing(): Promise<void> {
  while (!steady.isOver) {
    await identify();
    steady.count();
  }
}
await Promise.all(Array.from({ length: 2 * config.workers }, keepAnalyzing));
process.stdout.write(`${steady.perSecond}\n`);
await analyzer.close();
