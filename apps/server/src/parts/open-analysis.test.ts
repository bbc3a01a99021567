import { cp, mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AnalysisProcess, AnalysisService } from '@chiffchaff/analysis';
import { eventually } from '@chiffchaff/testing';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readConfig } from '../config/config.ts';
import type { Database } from '../database/database.ts';
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

const damaged = { code: 'MODEL_DAMAGED' };

/** The analysis of a copy of the installed model, and what it has logged about a damaged one. */
async function openCopy(parts: PartStack, damage?: (folder: string) => Promise<void>) {
  const folder = join(dataDir, 'models', 'birdnet-v2.4');
  // If the folder is a link, copying the link would damage its target.
  await cp(models, join(dataDir, 'models'), { recursive: true, dereference: true });
  await damage?.(folder);
  const { config } = readConfig({ PATH: process.env.PATH, DATA_DIR: dataDir, INFERENCE_WORKERS: '1' });
  const logged: Record<string, unknown>[] = [];
  const log = pino({}, { write: (line: string) => logged.push(JSON.parse(line)) });
  const installation = findInstallation(config, log);
  const limits = { ...serverLimits, recheckModelMs: 0 };
  const advice = () => logged.filter(({ code }) => code === damaged.code).map(({ msg }) => msg);
  return {
    folder,
    advice,
    ...openAnalysis({ config, database: { kind: 'sqlite' } as Database, installation, limits, log }, parts),
  };
}

/** As when memory runs short. */
function killProcessOf(service: AnalysisService): void {
  process.kill((service as AnalysisProcess).pid ?? 0, 'SIGKILL');
}

it.each([
  ['manifest.json', emptied],
  ['labels.txt', withEightOtherBytes],
  ['names/de.txt', withEightOtherBytes],
  ['confidence-evidence.json', withEightOtherBytes],
  ['audio.onnx', emptied],
  ['audio.onnx.data', withEightOtherBytes],
  ['occurrence.onnx.data', withEightOtherBytes],
] as const)('A model with a damaged %s is not loaded, and reported with what to do about it', async (name, damage) => {
  await using parts = new PartStack();
  const { modelLoader, advice } = await openCopy(parts, (folder) => damage(join(folder, name)));
  await expect(modelLoader.get()).rejects.toMatchObject(damaged);
  const sentence = new RegExp(`${name} .*birdnet-v2\\.4.* Run "npm run model -- install" to install it again\\.$`);
  expect(advice()).toEqual([expect.stringMatching(sentence)]);
});

it('A model whose weights are damaged is not loaded when the analysis process is started again, but once it is repaired', async () => {
  await using parts = new PartStack();
  const { folder, service, modelLoader, advice } = await openCopy(parts);
  const { fingerprint } = await modelLoader.get();
  const weights = join(folder, 'audio.onnx.data');
  await withEightOtherBytes(weights);
  killProcessOf(service);
  await expect(service.expectedSpecies({ latitude: 52, longitude: 13 })).rejects.toMatchObject(damaged);
  await eventually(() => expect(modelLoader.missing).toMatchObject([damaged]));
  await expect(modelLoader.get()).rejects.toMatchObject(damaged);
  expect(advice()).toEqual([expect.stringContaining('audio.onnx.data has changed since it was installed')]);
  await cp(join(models, 'birdnet-v2.4', 'audio.onnx.data'), weights);
  expect(await modelLoader.get()).toMatchObject({ fingerprint });
});

it('A model installed over the loaded one is not loaded by the next analysis process, and a restart is advised', async () => {
  await using parts = new PartStack();
  const { folder, service, modelLoader, advice } = await openCopy(parts);
  await modelLoader.get();
  const path = join(folder, 'manifest.json');
  const manifest = JSON.parse(await readFile(path, 'utf8'));
  manifest.calibration.words.likely -= 0.01;
  await writeFile(path, JSON.stringify(manifest));
  killProcessOf(service);
  await expect(service.expectedSpecies({ latitude: 52, longitude: 13 })).rejects.toMatchObject(damaged);
  await expect(modelLoader.lookNow().then(modelLoader.get)).rejects.toMatchObject(damaged);
  expect(modelLoader.missing).toMatchObject([{ reason: 'MODEL_EXCHANGED' }]);
  expect(advice()).toEqual([expect.stringMatching(/another one was installed .* Restart the server to use it\.$/)]);
});

it('A loaded model whose files become damaged is unloaded together with its analysis process', async () => {
  await using parts = new PartStack();
  const { folder, service, modelLoader } = await openCopy(parts);
  await modelLoader.get();
  const { pid } = service as AnalysisProcess;
  await withEightOtherBytes(join(folder, 'audio.onnx.data'));
  await expect(modelLoader.lookNow().then(modelLoader.get)).rejects.toMatchObject(damaged);
  await eventually(() => expect((service as AnalysisProcess).pid).not.toBe(pid));
  await expect(service.expectedSpecies({ latitude: 52, longitude: 13 })).rejects.toMatchObject(damaged);
});
