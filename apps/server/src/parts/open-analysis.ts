import { modelFolderOf } from '@chiffchaff/models';
import { fingerprintOf, readManifest } from '@chiffchaff/recognizer/node';
import { isOtherModelInUse } from '../operation/troubles.ts';
import { createModelLoader, type ModelLoader } from '../prediction/model-loader.ts';
import type { ServerOptions, Stores } from './open-stores.ts';
import type { PartStack } from './part-stack.ts';

type AnalysisOptions = Pick<ServerOptions & Stores, 'config' | 'database' | 'installation' | 'limits' | 'log'>;
export type Analysis = ReturnType<typeof openAnalysis>;

/** Starts the analysis, and what loads its model. */
export function openAnalysis({ config, database, installation, limits, log }: AnalysisOptions, parts: PartStack) {
  const service = parts.add(installation.startAnalysis(() => void modelLoader.lookNow()));
  const installed = () => readManifest(modelFolderOf(config.dataDir, config.modelId)).then(fingerprintOf, () => null);
  const isOtherInUse = async (loaded?: string) => isOtherModelInUse(database, loaded ?? (await installed()));
  const modelLoader: ModelLoader = parts.add(createModelLoader({ service, log, recheckMs: limits.recheckModelMs, isOtherInUse }));
  return { service, modelLoader };
}
