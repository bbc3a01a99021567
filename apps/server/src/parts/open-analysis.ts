import type { FastifyBaseLogger } from 'fastify';
import { createModelLoader, type ModelLoader } from '../prediction/model-loader.ts';
import type { ServerLimits } from '../server-limits.ts';
import type { Installation } from './installation.ts';
import type { PartStack } from './part-stack.ts';

export interface AnalysisOptions {
  readonly installation: Pick<Installation, 'startAnalysis'>;
  readonly limits: Pick<ServerLimits, 'recheckModelMs'>;
  readonly log: FastifyBaseLogger;
}

/** Starts the analysis, and what loads its model. */
export function openAnalysis({ installation, limits, log }: AnalysisOptions, parts: PartStack) {
  const service = parts.add(installation.startAnalysis(() => void modelLoader.lookNow()));
  const modelLoader: ModelLoader = parts.add(createModelLoader({ service, log, recheckMs: limits.recheckModelMs }));
  return { service, modelLoader };
}
