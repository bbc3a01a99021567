import { type AnalysisService, type LoadedModel, type MissingPart, PredictionError } from '@chiffchaff/analysis';
import { ModelError, readModelFolder } from '@chiffchaff/models';
import type { FastifyBaseLogger } from 'fastify';

/** A part that an installation can lack. */
export type Missing = MissingPart['code'];

/** The calls of the service that need the model, and facts about the model. */
export type LoadedService = LoadedModel &
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

type Load = () => Promise<LoadedService | readonly Missing[]>;

export interface ModelLoaderOptions {
  readonly load: Load;
  readonly log: FastifyBaseLogger;
  /** Called once the model is loaded. */
  readonly onLoaded?: () => void;
  /** How long a failed load is believed before the next one. */
  readonly recheckMs: number;
}

export type ModelLoader = ReturnType<typeof createModelLoader>;

/** Loads the model on first use. While it or ffmpeg is missing, tries again from time to time: both can be installed while the server runs. */
export function createModelLoader({ load, log, onLoaded, recheckMs }: ModelLoaderOptions) {
  let loaded: LoadedService | null = null;
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
    /** The service if the model is loaded; does not load it. */
    get loaded(): LoadedService | null {
      return loaded;
    },
    /** What the last load found missing. */
    get missing(): readonly Missing[] {
      return missing;
    },
    /** @throws PredictionError MODEL_NOT_INSTALLED or DECODER_NOT_INSTALLED */
    async get(): Promise<LoadedService> {
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
 * Creates a function that has the service load the model, or returns what is missing. Logs what an operator can do about it, once for each
 * advice.
 */
export function createServiceLoad(service: AnalysisService, modelFolderPath: string, log: FastifyBaseLogger): Load {
  const advised = new Map<Missing, string>();

  /** The models package knows best why a model folder cannot be read. */
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
