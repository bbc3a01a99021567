import type { FastifyBaseLogger } from 'fastify';
import { createModelLoader, createServiceLoad, type ModelLoader } from '../prediction/model-loader.ts';
import type { ServerLimits } from '../server-limits.ts';
import type { Installation } from './installation.ts';
import type { PartStack } from './part-stack.ts';

export interface AnalysisOptions {
  readonly installation: Pick<Installation, 'startAnalysis'>;
  readonly limits: Pick<ServerLimits, 'recheckModelMs'>;
  readonly log: FastifyBaseLogger;
}

/** Starts the analysis, and what loads its model. `ready` resolves once the model is loaded. */
export function openAnalysis({ installation, limits, log }: AnalysisOptions, parts: PartStack) {
  const ready = Promise.withResolvers<void>();
  const service = parts.add(installation.startAnalysis(() => void modelLoader.lookNow()));
  const load = createServiceLoad(service, log);
  const modelLoader: ModelLoader = parts.add(
    createModelLoader({ load, log, onLoaded: ready.resolve, recheckMs: limits.recheckModelMs }),
  );
  return { service, modelLoader, ready: ready.promise };
}
