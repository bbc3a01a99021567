import { locateFfmpeg } from '@chiffchaff/listening';
import { modelFolderOf } from '@chiffchaff/models';
import { createWorkerPool, type ModelFolder, readModelFolder, type WorkerPool } from '@chiffchaff/recognizer/node';
import { SetUpError } from './command-error.ts';
import type { Config } from './config.ts';

/** An installed model with workers that run it, and a decoder to feed them. */
export interface OpenRecogniser {
  readonly model: ModelFolder;
  readonly pool: WorkerPool;
  readonly ffmpegPath: string;
}

/** @throws SetUpError when the model or ffmpeg is missing */
export async function openRecogniser(config: Config, signal: AbortSignal): Promise<OpenRecogniser> {
  const ffmpegPath = await findFfmpeg(config, signal);
  const model = await readModelFolder(modelFolderOf(config.dataFolder, config.modelId)).catch((error: unknown) => {
    throw new SetUpError(
      `The model ${config.modelId} can't be opened in ${config.dataFolder}. npm run model -- install sets it up.`,
      {
        cause: error,
      },
    );
  });
  return { model, ffmpegPath, pool: await createWorkerPool({ modelFolder: model, workers: config.workers }) };
}

/** @throws SetUpError when there is none, or the configured one will not do */
export async function findFfmpeg(config: Config, signal: AbortSignal): Promise<string> {
  const { ffmpegPath, searchPath, dataFolder } = config;
  const located = await locateFfmpeg({
    ffmpegPath: ffmpegPath ?? undefined,
    searchPath,
    dataDirectory: dataFolder,
    signal,
  }).catch((error: unknown) => {
    signal.throwIfAborted();
    throw new SetUpError(error instanceof Error ? error.message : String(error), { cause: error });
  });
  if (located === null)
    throw new SetUpError('There is no ffmpeg 5 or later on PATH. Install it, or run npm start once, which fetches one.');
  return located.path;
}
