import { type AnalysisService, type LoadedModel, type MissingPart, PredictionError } from '@chiffchaff/analysis';
import type { FastifyBaseLogger } from 'fastify';

/** What can be absent from an installation. */
export type Missing = MissingPart['code'];

/** What can be asked once a model is loaded, with what is known of it. */
export type LoadedAnalyzer = LoadedModel & Pick<AnalysisService, 'analyze' | 'expectedSpecies' | 'namesIn'>;

/** Hands out the analyzer, and looks again for what was absent when the server started. */
export interface AnalyzerSource {
  /** @throws PredictionError MODEL_NOT_INSTALLED or DECODER_NOT_INSTALLED */
  get(): Promise<LoadedAnalyzer>;
  /** The analyzer if it is there now, without waiting. */
  readonly loaded: LoadedAnalyzer | null;
  /** What was absent when last looked for. */
  readonly missing: readonly Missing[];
  close(): Promise<void>;
}

export interface AnalyzerSourceOptions {
  /** Loads the analyzer, or says what is absent, and logs what an operator can do about it. */
  readonly load: () => Promise<LoadedAnalyzer | readonly Missing[]>;
  readonly log: FastifyBaseLogger;
  /** Told once, when predictions can be answered. */
  readonly onLoaded?: () => void;
  /** How long an absence is believed before it is looked for again. */
  readonly recheckMs?: number | undefined;
}

export function createAnalyzerSource({ load, log, onLoaded, recheckMs = 5000 }: AnalyzerSourceOptions): AnalyzerSource {
  let loaded: LoadedAnalyzer | null = null;
  let missing: readonly Missing[] = [];
  let loading: Promise<void> | null = null;
  let lastLook = Number.NEGATIVE_INFINITY;
  let closed = false;

  async function look(): Promise<void> {
    try {
      const found = await load();
      if ('analyze' in found) loaded = found;
      else missing = found;
    } catch (error) {
      log.error({ err: error }, 'the recogniser could not be loaded');
      missing = ['MODEL_NOT_INSTALLED'];
    }
    if (loaded) {
      missing = [];
      onLoaded?.();
    }
    lastLook = performance.now();
  }

  return {
    get loaded() {
      return loaded;
    },
    get missing() {
      return missing;
    },
    async get() {
      if (!loaded && !closed && performance.now() - lastLook >= recheckMs) {
        loading ??= look().finally(() => {
          loading = null;
        });
        await loading;
      }
      if (loaded) return loaded;
      throw new PredictionError(missing[0] ?? 'MODEL_NOT_INSTALLED', {});
    },
    async close() {
      closed = true;
      await loading;
    },
  };
}
