import { MANIFEST_FILE, RecognizerError } from '@chiffchaff/recognizer';
import { openModelFolder } from '@chiffchaff/recognizer/node';
import type { Analyzer } from '../analyzer.ts';
import { PredictionError } from '../errors.ts';
import { DecoderError, type LocateFfmpegOptions, locateFfmpeg } from '../ffmpeg/locate.ts';
import { type OpenAnalyzerOptions, openAnalyzer } from '../open-analyzer.ts';
import type { AnalysisService, MissingPart } from './analysis-service.ts';
import { createAnalysisService } from './create-analysis-service.ts';

/** Paths and limits; all of it can be sent to another process. */
export interface InstalledOptions
  extends Omit<LocateFfmpegOptions, 'signal'>,
    Pick<OpenAnalyzerOptions, 'modelFolderPath' | 'fingerprint' | 'limits'> {
  /** threads, each with a model */
  readonly workers: number;
}

const NO_DECODER =
  'No suitable ffmpeg was found, so recordings cannot be read. "npm start" downloads one where possible. Otherwise install ffmpeg 5 or later with soxr, or set FFMPEG_PATH to one.';

/** The service with the installed model and decoder. Either may be missing at first and installed later. */
export function openInstalledService(options: InstalledOptions): AnalysisService {
  const { modelFolderPath, fingerprint, workers, limits } = options;
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

  async function orMissing<Value>(value: Promise<Value>): Promise<Value | MissingPart> {
    try {
      return await value;
    } catch (error) {
      if (!(error instanceof RecognizerError)) throw error;
      return missingModel(error, modelFolderPath);
    }
  }

  async function openInstalled(): Promise<Analyzer | { readonly missing: readonly MissingPart[] }> {
    const ffmpegPath = await findDecoder();
    if (typeof ffmpegPath !== 'string') {
      const model = await orMissing(openModelFolder(modelFolderPath, fingerprint));
      return { missing: 'advice' in model ? [model, ffmpegPath] : [ffmpegPath] };
    }
    const opening = openAnalyzer({ modelFolderPath, fingerprint, ffmpegPath, workers, limits, includesRegions: true });
    const analyzer = await orMissing(opening);
    return 'advice' in analyzer ? { missing: [analyzer] } : analyzer;
  }

  return createAnalysisService({
    modelFolderPath,
    openInstalled,
    async findFault(loaded) {
      const model = await orMissing(openModelFolder(modelFolderPath, loaded));
      return 'advice' in model ? model : null;
    },
    async findFfmpeg() {
      const found = await findDecoder();
      if (typeof found === 'string') return found;
      throw new PredictionError('DECODER_NOT_INSTALLED', {});
    },
  });
}

function missingModel(error: RecognizerError, folder: string): MissingPart {
  const install = 'Run "npm run model -- install"';
  const { code, details } = error;
  const file = 'file' in details ? details.file : MANIFEST_FILE;
  if (code === 'MODEL_UNREADABLE' && file === MANIFEST_FILE)
    return { code: 'MODEL_NOT_INSTALLED', advice: `Opening the model: there is no model in ${folder}. ${install}.` };
  if (code === 'MODEL_EXCHANGED') {
    const advice = `Opening the model: another one was installed in ${folder} while the server was running. Restart the server to use it.`;
    return { code: 'MODEL_DAMAGED', reason: code, advice };
  }
  const found =
    code === 'MODEL_DAMAGED'
      ? `${file} has changed since it was installed`
      : `${file} cannot be read (${JSON.stringify(details)})`;
  return { code: 'MODEL_DAMAGED', advice: `Opening the model: ${found} in ${folder}. ${install} to install it again.` };
}
