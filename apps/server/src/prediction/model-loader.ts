import { type AnalysisService, type LoadedModel, type MissingPart, PredictionError } from '@chiffchaff/analysis';
import { ModelError, readModelFolder, verifyModelFolder } from '@chiffchaff/models';
import type { FastifyBaseLogger } from 'fastify';

/** A part that an installation can lack, or that can be damaged. */
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
    | 'speciesAround'
    | 'speciesNames'
    | 'speciesProfile'
    | 'speciesRange'
    | 'speciesSeason'
    | 'zones'
  >;

type Load = () => Promise<LoadedService | readonly Missing[]>;

export interface ModelLoaderOptions {
  readonly load: Load;
  readonly log: FastifyBaseLogger;
  /** Called once the model is loaded. */
  readonly onLoaded?: () => void;
  /** How long a failed load is believed before the next one. */
  readonly recheckMs: number;
  /** milliseconds on a clock that never jumps */
  readonly now?: () => number;
}

export type ModelLoader = ReturnType<typeof createModelLoader>;

const VERIFIED_EVERY_MS = 86_400_000;

/**
 * Loads the model on first use. While it or ffmpeg is missing, tries again from time to time: both can be installed while the server runs.
 * Loads again once a day, which finds damaged files; what is in memory may be damaged then, too, so only a restart helps.
 */
export function createModelLoader({ load, log, onLoaded, recheckMs, now = () => performance.now() }: ModelLoaderOptions) {
  let loaded: LoadedService | null = null;
  let missing: readonly Missing[] = [];
  let loading: Promise<void> | null = null;
  let lastLook = Number.NEGATIVE_INFINITY;
  let closed = false;

  async function look(): Promise<void> {
    try {
      const found = await load();
      const isFirst = loaded === null;
      missing = 'analyze' in found ? [] : found;
      closed ||= !isFirst && missing.length > 0;
      loaded = 'analyze' in found ? found : null;
      if (loaded && isFirst) onLoaded?.();
    } catch (error) {
      log.error({ err: error }, 'the model could not be loaded');
      if (!loaded) missing = ['MODEL_NOT_INSTALLED'];
    }
    lastLook = now();
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
    /** @throws PredictionError MODEL_NOT_INSTALLED, MODEL_DAMAGED or DECODER_NOT_INSTALLED */
    async get(): Promise<LoadedService> {
      if (!closed && now() - lastLook >= (loaded ? VERIFIED_EVERY_MS : recheckMs)) {
        loading ??= look().finally(() => {
          loading = null;
        });
      }
      if (!loaded) await loading;
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
 * Creates a function that verifies the files of the model and has the service load it, or returns what is missing. Logs what an operator can
 * do about it, once for each advice.
 */
export function createServiceLoad(service: AnalysisService, modelFolderPath: string, log: FastifyBaseLogger): Load {
  const advised = new Map<Missing, string>();

  /** A few changed bytes give other birds without any error, so hashes are compared: 100 MB in a tenth of a second. */
  async function findFault(): Promise<ModelError | null> {
    try {
      await verifyModelFolder(await readModelFolder(modelFolderPath));
      return null;
    } catch (error) {
      if (error instanceof ModelError) return error;
      throw error;
    }
  }

  return async () => {
    const fault = await findFault();
    const isDamaged = fault?.code === 'MODEL_DAMAGED';
    const found = isDamaged ? { missing: [{ code: fault.code, advice: '' } as MissingPart] } : await service.load();
    if ('model' in found) return { ...service, ...found };
    for (const part of found.missing) {
      // The models package knows best why a model folder cannot be read.
      const advice = part.code === 'DECODER_NOT_INSTALLED' ? part.advice : (fault?.message ?? part.advice);
      if (advised.get(part.code) !== advice) log.warn({ code: part.code }, advice);
      advised.set(part.code, advice);
    }
    return found.missing.map(({ code }) => code);
  };
}
