import { type AnalysisService, type LoadedModel, type MissingPart, PredictionError } from '@chiffchaff/analysis';
import { ModelError, readModelFolder } from '@chiffchaff/models';
import type { FastifyBaseLogger } from 'fastify';

/** What can be absent from an installation. */
export type Missing = MissingPart['code'];

/** What can be asked once a model is loaded, with what is known of it. */
export type LoadedAnalyzer = LoadedModel &
  Pick<
    AnalysisService,
    | 'analyze'
    | 'expectedSpecies'
    | 'namesIn'
    | 'occurrenceBytes'
    | 'regions'
    | 'speciesProfile'
    | 'speciesRange'
    | 'speciesSeason'
  >;

type Load = () => Promise<LoadedAnalyzer | readonly Missing[]>;

export interface AnalyzerSourceOptions {
  readonly load: Load;
  readonly log: FastifyBaseLogger;
  /** Told once, when predictions can be answered. */
  readonly onLoaded?: () => void;
  /** How long an absence is believed before it is looked for again. */
  readonly recheckMs?: number | undefined;
}

export type AnalyzerSource = ReturnType<typeof createAnalyzerSource>;

/** Hands out the analyzer, and looks again for what was absent when the server started. */
export function createAnalyzerSource({ load, log, onLoaded, recheckMs = 5000 }: AnalyzerSourceOptions) {
  let loaded: LoadedAnalyzer | null = null;
  let missing: readonly Missing[] = [];
  let loading: Promise<void> | null = null;
  let lastLook = Number.NEGATIVE_INFINITY;
  let closed = false;

  async function look(): Promise<void> {
    try {
      const found = await load();
      if ('analyze' in found) loaded = found;
      missing = 'analyze' in found ? [] : found;
    } catch (error) {
      log.error({ err: error }, 'the model could not be loaded');
      missing = ['MODEL_NOT_INSTALLED'];
    }
    if (loaded) onLoaded?.();
    lastLook = performance.now();
  }

  return {
    /** The analyzer if it is there now, without waiting. */
    get loaded(): LoadedAnalyzer | null {
      return loaded;
    },
    /** What was absent when last looked for. */
    get missing(): readonly Missing[] {
      return missing;
    },
    /** @throws PredictionError MODEL_NOT_INSTALLED or DECODER_NOT_INSTALLED */
    async get(): Promise<LoadedAnalyzer> {
      if (!loaded && !closed && performance.now() - lastLook >= recheckMs) {
        loading ??= look().finally(() => {
          loading = null;
        });
        await loading;
      }
      if (loaded) return loaded;
      throw new PredictionError(missing[0] ?? 'MODEL_NOT_INSTALLED', {});
    },
    async close(): Promise<void> {
      closed = true;
      await loading;
    },
  };
}

/**
 * Makes a function that has what is installed loaded, or says what is missing. What an operator can do about that is logged, once as
 * long as it stays the same.
 */
export function createAnalyzerLoader(service: AnalysisService, modelFolderPath: string, log: FastifyBaseLogger): Load {
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
