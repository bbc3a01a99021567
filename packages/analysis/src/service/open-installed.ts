import { RecognizerError } from '@chiffchaff/recognizer';
import { readModelFolder } from '@chiffchaff/recognizer/node';
import type { Analyzer } from '../analyzer.ts';
import type { DecodeLimits } from '../decode/limits.ts';
import { PredictionError } from '../errors.ts';
import { DecoderError } from '../ffmpeg/errors.ts';
import { type LocateFfmpegOptions, locateFfmpeg } from '../ffmpeg/locate.ts';
import { openAnalyzer } from '../open-analyzer.ts';
import type { AnalysisService, MissingPart } from './analysis-service.ts';
import { createAnalysisService } from './create-analysis-service.ts';

/** Paths and limits; all of it can be sent to another process. */
export interface InstalledOptions extends Omit<LocateFfmpegOptions, 'signal'> {
  /** a folder written by `@chiffchaff/models` */
  readonly modelFolderPath: string;
  /** threads, each with a model */
  readonly workers: number;
  readonly limits?: Partial<DecodeLimits> | undefined;
}

const NO_DECODER =
  'No suitable ffmpeg was found, so recordings cannot be read. "npm start" downloads one where possible. Otherwise install ffmpeg 5 or later with soxr, or set FFMPEG_PATH to one.';

/** The service with the installed model and decoder. Either may be missing at first and installed later. */
export function openInstalledService(options: InstalledOptions): AnalysisService {
  const { modelFolderPath, workers, limits } = options;
  let decoder: string | null = null;

  async function findDecoder(): Promise<string | MissingPart> {
    if (decoder !== null) return decoder;
    try {
      decoder = (await locateFfmpeg(options))?.path ?? null;
    } catch (error) {
      if (error instanceof DecoderError) return { code: 'DECODER_NOT_INSTALLED', advice: error.message };
      throw error;
    }
    return decoder ?? { code: 'DECODER_NOT_INSTALLED', advice: NO_DECODER };
  }

  /** Treats a damaged model as a missing one. */
  async function orDamaged<Value>(value: Promise<Value>): Promise<Value | MissingPart> {
    try {
      return await value;
    } catch (error) {
      if (!(error instanceof RecognizerError)) throw error;
      const advice = `A model file in ${modelFolderPath} is damaged (${error.code}). Run "npm run model -- install" to install it again.`;
      return { code: 'MODEL_NOT_INSTALLED', advice };
    }
  }

  async function openInstalled(): Promise<Analyzer | { readonly missing: readonly MissingPart[] }> {
    const [model, ffmpegPath] = await Promise.all([orDamaged(readModelFolder(modelFolderPath)), findDecoder()]);
    const missing = [model, ffmpegPath].filter((part): part is MissingPart => typeof part === 'object' && 'advice' in part);
    if (missing.length > 0 || typeof ffmpegPath !== 'string') return { missing };
    const analyzer = await orDamaged(openAnalyzer({ modelFolderPath, ffmpegPath, workers, limits, includesRegions: true }));
    return 'advice' in analyzer ? { missing: [analyzer] } : analyzer;
  }

  return createAnalysisService({
    modelFolderPath,
    openInstalled,
    async findFfmpeg() {
      const found = await findDecoder();
      if (typeof found === 'string') return found;
      throw new PredictionError('DECODER_NOT_INSTALLED', {});
    },
  });
}
