import { locateFfmpeg, PredictionError } from '@chiffchaff/analysis';

export interface FfmpegFinderOptions {
  /** `PATH` */
  readonly searchPath: string | undefined;
  readonly dataDir: string;
  /** Absolute, when one is configured. */
  readonly ffmpegPath: string | undefined;
}

/**
 * Makes a function that finds the program that reads and copies recordings, once.
 *
 * @returns it throws PredictionError DECODER_NOT_INSTALLED as long as there is none
 */
export function createFfmpegFinder({ searchPath, dataDir, ffmpegPath }: FfmpegFinderOptions): () => Promise<string> {
  let path: string | null = null;
  return async () => {
    path ??= (await locateFfmpeg({ ffmpegPath, searchPath, dataDir }))?.path ?? null;
    if (path === null) throw new PredictionError('DECODER_NOT_INSTALLED', {});
    return path;
  };
}
