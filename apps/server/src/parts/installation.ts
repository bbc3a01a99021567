import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { type AnalysisService, startAnalysisProcess } from '@chiffchaff/analysis';
import { modelFolderOf } from '@chiffchaff/models';
import type { FastifyBaseLogger } from 'fastify';
import type { Config } from '../config/config.ts';
import { PROJECT_FOLDER } from '../config/variable.ts';
import type { PlaceIndex } from '../places/place-index.ts';
import { createPreparedPlaces } from '../places/prepared-places.ts';
import { wikimediaHosts } from '../species/pictures/wikimedia.ts';

/** What a server uses from outside: the analysis, the places, the page, and where pictures come from. */
export interface Installation {
  /**
   * Called when the data folder is locked. The server closes what it returns.
   *
   * @param onRestart called when the process that analyses is started again, which loads the model anew
   */
  startAnalysis(onRestart: () => void): AnalysisService;
  /** The server closes what it returns. */
  openPlaces(): PlaceIndex & { prepare(): Promise<void> };
  /** Folder of the built page; without a page in it only the API is served. */
  readonly pageFolder: string;
  readonly wikimediaHosts: typeof wikimediaHosts;
}

export const works = ({ role }: Pick<Config, 'role'>): boolean => role !== 'web';
export const serves = ({ role }: Pick<Config, 'role'>): boolean => role !== 'worker';

export const workersOf = ({ inferenceWorkers }: Pick<Config, 'inferenceWorkers'>): number =>
  inferenceWorkers ?? availableParallelism();

/** The installation in this checkout and in the data folder. */
export function findInstallation(config: Config, log: FastifyBaseLogger): Installation {
  const { dataDir, ffmpegPath, searchPath } = config;
  return {
    startAnalysis: (onRestart) =>
      startAnalysisProcess({
        modelFolderPath: modelFolderOf(dataDir, config.modelId),
        dataDir,
        ffmpegPath: ffmpegPath ?? undefined,
        searchPath,
        // Opening and recomputing answers needs no acoustic model, which takes most of the memory.
        workers: works(config) ? workersOf(config) : 0,
        limits: { maxSeconds: config.maxRecordingSeconds },
        onInterrupted(error) {
          log.warn({ err: error }, 'the analysis process ended; a new one is starting');
          onRestart();
        },
        onWarning: (sentence) => log.warn(sentence),
      }),
    openPlaces: () => createPreparedPlaces(join(dataDir, 'cache')),
    pageFolder: join(PROJECT_FOLDER, 'apps/web/dist'),
    wikimediaHosts,
  };
}
