import { type AnalysisService, type LoadedModel, type MissingPart, PredictionError } from '@chiffchaff/analysis';
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
  let isTold = false;
  let closed = false;

  async function look(): Promise<void> {
    try {
      const found = await load();
      missing = 'analyze' in found ? [] : found;
      loaded = 'analyze' in found ? found : null;
      if (loaded && !isTold) onLoaded?.();
      isTold ||= loaded !== null;
    } catch (error) {
      log.error({ err: error }, 'the model could not be loaded');
      if (!loaded) missing = ['MODEL_NOT_INSTALLED'];
    }
    lastLook = now();
  }

  async function lookNow(): Promise<void> {
    if (closed) return;
    loading ??= look().finally(() => {
      loading = null;
    });
    await loading;
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
      if (now() - lastLook >= (loaded ? VERIFIED_EVERY_MS : recheckMs)) void lookNow();
      if (!loaded) await loading;
      if (loaded) return loaded;
      throw new PredictionError(missing[0] ?? 'MODEL_NOT_INSTALLED', {});
    },
    /** Looks before it is due, because the analysis process was started again or lacks something. */
    lookNow,
    async close(): Promise<void> {
      closed = true;
      await loading;
    },
  };
}

/** Loads the model of a service, and logs what an operator can do about what is missing. */
export function createServiceLoad(service: AnalysisService, log: FastifyBaseLogger): Load {
  const advised = new Map<Missing, string>();

  return async () => {
    const found = await service.load();
    if ('model' in found) {
      advised.clear();
      return { ...service, ...found };
    }
    for (const { code, advice } of found.missing) {
      if (advised.get(code) !== advice) log.warn({ code }, advice);
      advised.set(code, advice);
    }
    return found.missing.map(({ code }) => code);
  };
}
