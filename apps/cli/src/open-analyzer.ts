import { type Analyzer, createAnalyzer, type DecodeLimits } from '@chiffchaff/analysis';
import { modelFolderOf } from '@chiffchaff/models';
import type { Config } from './config.ts';
import { findFfmpeg, whenInstalled } from './open-recogniser.ts';

/** Recordings are the person's own here, so the limits are those of patience: a week of sound, a disk that takes a minute to wake up. */
const limits: Partial<DecodeLimits> = { maxSeconds: 7 * 24 * 3600, maxWaitMs: 24 * 3600 * 1000, stallMs: 60_000 };

/**
 * The installed model, ready to listen.
 * @throws SetUpError when the model or ffmpeg is missing
 */
export async function openAnalyzer(config: Config, signal: AbortSignal): Promise<Analyzer> {
  const ffmpegPath = await findFfmpeg(config, signal);
  const modelFolderPath = modelFolderOf(config.dataDir, config.modelId);
  return whenInstalled(config, () => createAnalyzer({ modelFolderPath, ffmpegPath, workers: config.workers, limits }));
}
