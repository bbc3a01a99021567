import { createModelLoader, type ModelLoader } from '../prediction/model-loader.ts';
import type { ServerOptions } from './open-stores.ts';
import type { PartStack } from './part-stack.ts';

type AnalysisOptions = Pick<ServerOptions, 'installation' | 'limits' | 'log'>;
export type Analysis = ReturnType<typeof openAnalysis>;

/** Starts the analysis, and what loads its model. */
export function openAnalysis({ installation, limits, log }: AnalysisOptions, parts: PartStack) {
  const service = parts.add(installation.startAnalysis(() => void modelLoader.lookNow()));
  const modelLoader: ModelLoader = parts.add(createModelLoader({ service, log, recheckMs: limits.recheckModelMs }));
  return { service, modelLoader };
}
