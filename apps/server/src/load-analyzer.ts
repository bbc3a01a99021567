import { type Analyzer, createAnalyzer, DecoderError, locateFfmpeg } from '@chiffchaff/analysis';
import { ModelError, modelFolderOf, readModelFolder } from '@chiffchaff/models';
import { RecognizerError } from '@chiffchaff/recognizer';
import type { FastifyBaseLogger } from 'fastify';
import type { Config } from './config.ts';
import type { Missing } from './prediction/analyzer-source.ts';

export interface LoadAnalyzerOptions {
  readonly config: Config;
  readonly dataDir: string;
  /** Absolute, when one is configured. */
  readonly ffmpegPath: string | undefined;
  readonly workers: number;
  readonly log: FastifyBaseLogger;
}

/**
 * Makes a function that loads the analyzer from what is installed, or says what is not. What an operator can do about that is
 * logged, once as long as it stays the same.
 */
export function createAnalyzerLoader(options: LoadAnalyzerOptions): () => Promise<Analyzer | readonly Missing[]> {
  const { config, dataDir, ffmpegPath, workers, log } = options;
  const advised = new Map<Missing, string>();

  function advise(missing: Missing, advice: string): null {
    if (advised.get(missing) !== advice) log.warn({ code: missing }, advice);
    advised.set(missing, advice);
    return null;
  }

  async function findDecoder(): Promise<string | null> {
    const advice = `There is no ffmpeg that will do, so recordings cannot be read. "npm start" fetches one where it can; or install ffmpeg 5 or later with soxr, or name one with FFMPEG_PATH.`;
    try {
      const found = await locateFfmpeg({ ffmpegPath, searchPath: config.searchPath, dataDir });
      return found?.path ?? advise('DECODER_NOT_INSTALLED', advice);
    } catch (error) {
      if (error instanceof DecoderError) return advise('DECODER_NOT_INSTALLED', error.message);
      throw error;
    }
  }

  async function findModel(): Promise<string | null> {
    const folder = modelFolderOf(dataDir, config.modelId);
    try {
      await readModelFolder(folder);
      return folder;
    } catch (error) {
      return adviseUnreadable(folder, error);
    }
  }

  /** A model that was installed and is damaged is as good as none. */
  function adviseUnreadable(folder: string, error: unknown): null {
    if (error instanceof ModelError) return advise('MODEL_NOT_INSTALLED', error.message);
    if (!(error instanceof RecognizerError)) throw error;
    return advise(
      'MODEL_NOT_INSTALLED',
      `A file of the model in ${folder} is damaged (${error.code}). Run "npm run model -- install" to install it again.`,
    );
  }

  async function openAnalyzer(modelFolderPath: string, decoder: string): Promise<Analyzer | null> {
    const limits = { maxSeconds: config.maxRecordingSeconds };
    try {
      return await createAnalyzer({ modelFolderPath, ffmpegPath: decoder, workers, limits });
    } catch (error) {
      return adviseUnreadable(modelFolderPath, error);
    }
  }

  return async () => {
    const [decoder, modelFolderPath] = await Promise.all([findDecoder(), findModel()]);
    if (decoder !== null && modelFolderPath !== null) {
      return (await openAnalyzer(modelFolderPath, decoder)) ?? ['MODEL_NOT_INSTALLED'];
    }
    const missing: Missing[] = [];
    if (modelFolderPath === null) missing.push('MODEL_NOT_INSTALLED');
    if (decoder === null) missing.push('DECODER_NOT_INSTALLED');
    return missing;
  };
}
