import { modelFolderOf } from '@chiffchaff/models';
import type { FastifyBaseLogger } from 'fastify';
import type { Config } from '../config/config.ts';
import { createModelLoader, createServiceLoad } from '../prediction/model-loader.ts';
import type { ServerLimits } from '../server-limits.ts';
import type { Installation } from './installation.ts';
import type { PartStack } from './part-stack.ts';

export interface AnalysisOptions {
  readonly config: Pick<Config, 'modelId'>;
  readonly dataDir: string;
  readonly installation: Pick<Installation, 'startAnalysis'>;
  readonly limits: Pick<ServerLimits, 'recheckModelMs'>;
  readonly log: FastifyBaseLogger;
}

/** Starts the analysis, and what loads its model. `ready` resolves once the model is loaded. */
export function openAnalysis({ config, dataDir, installation, limits, log }: AnalysisOptions, parts: PartStack) {
  const ready = Promise.withResolvers<void>();
  const service = parts.add(installation.startAnalysis());
  const load = createServiceLoad(service, modelFolderOf(dataDir, config.modelId), log);
  const modelLoader = parts.add(createModelLoader({ load, log, onLoaded: ready.resolve, recheckMs: limits.recheckModelMs }));
  return { service, modelLoader, ready: ready.promise };
}
