import type { AnalysisService, MissingPart } from '@chiffchaff/analysis';
import { ModelError, readModelFolder } from '@chiffchaff/models';
import type { FastifyBaseLogger } from 'fastify';
import type { LoadedAnalyzer, Missing } from './prediction/analyzer-source.ts';

export interface LoadAnalyzerOptions {
  readonly service: AnalysisService;
  readonly modelFolderPath: string;
  readonly log: FastifyBaseLogger;
}

/**
 * Makes a function that has what is installed loaded, or says what is missing. What an operator can do about that is logged, once as
 * long as it stays the same.
 */
export function createAnalyzerLoader(options: LoadAnalyzerOptions): () => Promise<LoadedAnalyzer | readonly Missing[]> {
  const { service, modelFolderPath, log } = options;
  const advised = new Map<Missing, string>();

  /** Those who install models know more of one that cannot be read. */
  async function adviceFor({ code, advice }: MissingPart): Promise<string> {
    if (code !== 'MODEL_NOT_INSTALLED') return advice;
    return readModelFolder(modelFolderPath).then(
      () => advice,
      (error: unknown) => (error instanceof ModelError ? error.message : advice),
    );
  }

  return async () => {
    const found = await service.load();
    if ('model' in found) return { ...service, ...found };
    for (const part of found.missing) {
      const advice = await adviceFor(part);
      if (advised.get(part.code) !== advice) log.warn({ code: part.code }, advice);
      advised.set(part.code, advice);
    }
    return found.missing.map(({ code }) => code);
  };
}
