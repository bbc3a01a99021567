import { type Analyzer, type DecodeLimits, locateFfmpeg, openAnalyzer } from '@chiffchaff/analysis';
import { ModelError, modelFolderOf } from '@chiffchaff/models';
import { RecognizerError } from '@chiffchaff/recognizer';
import { openModelFolder, openWorkerPool } from '@chiffchaff/recognizer/node';
import { SetUpError } from './command-error.ts';
import type { Config } from './config.ts';

/** An installed model, workers that run it, and a decoder. @throws SetUpError when the model or ffmpeg is missing */
export async function openRecognizer(config: Config, signal: AbortSignal) {
  const ffmpegPath = await findFfmpeg(config, signal);
  return whenInstalled(config, async () => {
    const model = await openModelFolder(modelFolderOf(config.dataDir, config.modelId));
    return { model, ffmpegPath, pool: await openWorkerPool({ modelFolder: model, workers: config.workers }) };
  });
}

/** The recordings are the user's own, so the limits are wide: a week of audio, a disk that takes a minute to spin up. */
const limits: Partial<DecodeLimits> = { maxSeconds: 7 * 24 * 3600, maxWaitMs: 24 * 3600 * 1000, stallMs: 60_000 };

/**
 * Opens the installed model and a decoder, ready to analyse.
 * @throws SetUpError when the model or ffmpeg is missing
 */
export async function openInstalledAnalyzer(config: Config, signal: AbortSignal): Promise<Analyzer> {
  const ffmpegPath = await findFfmpeg(config, signal);
  const modelFolderPath = modelFolderOf(config.dataDir, config.modelId);
  // The user is waiting for nothing else.
  const options = { modelFolderPath, ffmpegPath, workers: config.workers, limits, urgency: 'waitedFor' } as const;
  return whenInstalled(config, () => openAnalyzer(options));
}

/** Opens something that needs the installed model. @throws SetUpError that says what to do when it cannot be opened */
export async function whenInstalled<Result>(
  { modelId, dataDir }: Pick<Config, 'modelId' | 'dataDir'>,
  open: () => Promise<Result>,
): Promise<Result> {
  try {
    return await open();
  } catch (cause) {
    if (!(cause instanceof RecognizerError || cause instanceof ModelError)) throw cause;
    throw new SetUpError(`The model ${modelId} can't be opened in ${dataDir}. Run ./chiffchaff model install to set it up.`, {
      cause,
    });
  }
}

/** @throws SetUpError when ffmpeg is missing or the configured one is unusable */
export async function findFfmpeg(config: Config, signal: AbortSignal): Promise<string> {
  const { ffmpegPath, searchPath, dataDir } = config;
  const options = { ffmpegPath: ffmpegPath ?? undefined, searchPath, dataDir, signal };
  const located = await locateFfmpeg(options).catch((error: unknown) => {
    signal.throwIfAborted();
    throw new SetUpError(error instanceof Error ? error.message : String(error), { cause: error });
  });
  if (located === null)
    throw new SetUpError('There is no ffmpeg 5 or later on PATH. Install it, or run npm start once to download it.');
  return located.path;
}
