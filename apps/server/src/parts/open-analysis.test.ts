import { cp, mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readConfig } from '../config/config.ts';
import { serverLimits } from '../server-limits.ts';
import { findInstallation } from './installation.ts';
import { openAnalysis } from './open-analysis.ts';
import { PartStack } from './part-stack.ts';

const models = fileURLToPath(new URL('../../../../data/models', import.meta.url));

let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'chiffchaff-analysis-'));
});
afterEach(() => rm(dataDir, { recursive: true, force: true }));

const emptied = (path: string) => writeFile(path, '');

async function withEightOtherBytes(path: string): Promise<void> {
  await using file = await open(path, 'r+');
  const { size } = await file.stat();
  await file.write(Buffer.alloc(8, 0x7f), 0, 8, size >> 1);
}

it.each([
  ['manifest.json', emptied],
  ['labels.txt', withEightOtherBytes],
  ['audio.onnx', emptied],
  ['audio.onnx.data', withEightOtherBytes],
  ['occurrence.onnx.data', withEightOtherBytes],
] as const)('A model with a damaged %s is not loaded, and reported with what to do about it', async (name, damage) => {
  // If the folder is a link, copying the link would damage its target.
  await cp(models, join(dataDir, 'models'), { recursive: true, dereference: true });
  await damage(join(dataDir, 'models', 'birdnet-v2.4', name));
  const { config } = readConfig({ PATH: process.env.PATH, DATA_DIR: dataDir, INFERENCE_WORKERS: '1' });
  const logged: Record<string, unknown>[] = [];
  const log = pino({}, { write: (line: string) => logged.push(JSON.parse(line)) });
  await using parts = new PartStack();
  const installation = findInstallation(config, log);
  const { modelLoader } = openAnalysis({ config, dataDir, installation, limits: serverLimits, log }, parts);
  await expect(modelLoader.get()).rejects.toMatchObject({ code: 'MODEL_DAMAGED' });
  const advice = logged.filter(({ code }) => code === 'MODEL_DAMAGED').map(({ msg }) => msg);
  expect(advice).toEqual([expect.stringMatching(/birdnet-v2\.4.* Run "npm run model -- install" to install it again\.$/)]);
});
