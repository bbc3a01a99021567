import { createListener, DecoderError, type Listener, locateFfmpeg } from '@chiffchaff/listening';
import { ModelError, modelFolderOf, readModelFolder } from '@chiffchaff/models';
import type { FastifyBaseLogger } from 'fastify';
import type { Config } from './config.ts';
import type { Missing } from './prediction/listener-source.ts';

export interface LoadListenerOptions {
  readonly config: Config;
  readonly dataDir: string;
  /** Absolute, when one is configured. */
  readonly ffmpegPath: string | undefined;
  readonly workers: number;
  readonly log: FastifyBaseLogger;
}

/**
 * Makes a function that loads the listener from what is installed, or says what is not. What an operator can do about that is
 * logged, once as long as it stays the same.
 */
export function createListenerLoader(options: LoadListenerOptions): () => Promise<Listener | readonly Missing[]> {
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
      const found = await locateFfmpeg({ ffmpegPath, searchPath: config.searchPath, dataDirectory: dataDir });
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
      if (error instanceof ModelError) return advise('MODEL_NOT_INSTALLED', error.message);
      throw error;
    }
  }

  return async () => {
    const [decoder, modelFolderPath] = await Promise.all([findDecoder(), findModel()]);
    if (decoder !== null && modelFolderPath !== null) {
      const limits = { maxSeconds: config.maxRecordingSeconds };
      return createListener({ modelFolderPath, ffmpegPath: decoder, workers, limits });
    }
    const missing: Missing[] = [];
    if (modelFolderPath === null) missing.push('MODEL_NOT_INSTALLED');
    if (decoder === null) missing.push('DECODER_NOT_INSTALLED');
    return missing;
  };
}
