/**
 * A worker as started by `main.ts`, one recording at a time, with a stand-in for the analysis that waits one second and detects nothing.
 * Many of them on one machine show the capacity of everything around the analysis.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { createAnalysisService } from '@chiffchaff/analysis';
import { modelFolderOf } from '@chiffchaff/models';
import { fingerprintOf, readManifest } from '@chiffchaff/recognizer/node';
import { readConfig } from '@chiffchaff/server/config';
import { findInstallation } from '@chiffchaff/server/installation';
import { openServer } from '@chiffchaff/server/open-server';
import { serverLimits } from '@chiffchaff/server/server-limits';
import { createFakeAnalyzer } from '@chiffchaff/server/testing/fake-analyzer';
import { pino } from 'pino';

const LISTENS_MS = 1000;

const { config, secrets } = readConfig(process.env);
// The web machines take only workers with the model that they have.
const manifest = await readManifest(modelFolderOf(config.dataDir, config.modelId));
const analyzer = { ...createFakeAnalyzer(), fingerprint: fingerprintOf(manifest) };
const service = createAnalysisService({
  openInstalled: async () => ({
    ...analyzer,
    async analyze(request, options) {
      await delay(LISTENS_MS, undefined, { signal: options.signal });
      return analyzer.analyze(request, options);
    },
  }),
  findFfmpeg: () => Promise.reject(new Error('Nothing is decoded here.')),
  modelFolderPath: '/nowhere',
});
const log = pino({ level: config.logLevel, base: null }, pino.destination(2));
const server = await openServer({
  config: { ...config, inferenceWorkers: 1 },
  secrets,
  log,
  installation: { ...findInstallation(config, log), startAnalysis: () => service },
  limits: { ...serverLimits, jobsPerWorker: 1 },
});
await server.start((url) => process.stdout.write(`Chiffchaff is listening on ${url}\n`));
process.once('SIGTERM', () => void server.close());
