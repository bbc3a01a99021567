import { type AnalysisService, type LoadedModel, type MissingPart, PredictionError } from '@chiffchaff/analysis';
import type { FastifyBaseLogger } from 'fastify';

/** A part that an installation can lack, or that is damaged or another than that of running machines. */
export type Missing = MissingPart['code'] | NonNullable<MissingPart['reason']> | 'OTHER_MODEL';

export const OTHER_MODEL =
  'Another machine of this database uses another model (MODEL_ID, its version or its description). All machines need the same one: stop those with the other, or install theirs here.';

/** The service, with facts about its loaded model. */
export type LoadedService = AnalysisService & LoadedModel;

export interface ModelLoaderOptions {
  readonly service: AnalysisService;
  readonly log: FastifyBaseLogger;
  /** How long a failed load is believed before the next one. */
  readonly recheckMs: number;
  /** Whether running machines use another model than the one with this fingerprint; without one, than the one installed. */
  readonly isOtherInUse?: (loaded: string | undefined) => Promise<boolean>;
  /** milliseconds on a clock that never jumps */
  readonly now?: () => number;
}

export type ModelLoader = ReturnType<typeof createModelLoader>;

const VERIFIED_EVERY_MS = 86_400_000;

/**
 * Loads the model on first use, unless running machines use another. While it or ffmpeg is missing, tries again from time to time: both can
 * be installed while the server runs. Loads again once a day, which finds damaged files; what is in memory may be damaged then, too, so only
 * a restart helps. Logs what an operator can do about what is missing.
 */
export function createModelLoader(options: ModelLoaderOptions) {
  const { service, log, recheckMs, isOtherInUse = async () => false, now = () => performance.now() } = options;
  const ready = Promise.withResolvers<void>();
  let loaded: LoadedService | null = null;
  let missing: readonly (Omit<MissingPart, 'code'> & { readonly code: MissingPart['code'] | 'OTHER_MODEL' })[] = [];
  let loading: Promise<void> | null = null;
  let lastLook = Number.NEGATIVE_INFINITY;
  let closed = false;

  async function look(): Promise<void> {
    try {
      // The first look is that of the start, which is refused as a whole (`machines/machine-register.ts`).
      const differs = Number.isFinite(lastLook) && (await isOtherInUse(loaded?.fingerprint));
      const found = differs ? { missing: [{ code: 'OTHER_MODEL', advice: OTHER_MODEL } as const] } : await service.load();
      const before = missing;
      missing = 'missing' in found ? found.missing : [];
      loaded = 'missing' in found ? null : { ...service, ...found };
      if (loaded) ready.resolve();
      for (const { code, advice } of missing)
        if (!before.some((part) => part.code === code && part.advice === advice)) log.warn({ code }, advice);
    } catch (error) {
      log.error({ err: error }, 'the model could not be loaded');
      if (!loaded) missing = [{ code: 'MODEL_NOT_INSTALLED', advice: '' }];
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
    get missing() {
      return missing;
    },
    /** Resolves once the model is loaded. */
    ready: ready.promise,
    /** @throws PredictionError MODEL_NOT_INSTALLED, MODEL_DAMAGED or DECODER_NOT_INSTALLED */
    async get(): Promise<LoadedService> {
      if (now() - lastLook >= (loaded ? VERIFIED_EVERY_MS : recheckMs)) void lookNow();
      if (!loaded) await loading;
      if (loaded) return loaded;
      const [lack] = missing;
      throw new PredictionError(lack && lack.code !== 'OTHER_MODEL' ? lack.code : 'MODEL_NOT_INSTALLED', {});
    },
    /** Looks before it is due, because the analysis process was started again or lacks something. */
    lookNow,
    async close(): Promise<void> {
      closed = true;
      await loading;
    },
  };
}
