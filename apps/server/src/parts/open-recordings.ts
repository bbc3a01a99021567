import type { AnalysisService } from '@chiffchaff/analysis';
import { isPostgres } from '../database/open-database.ts';
import type { SharedState } from '../machines/shared-state.ts';
import type { Metrics } from '../operation/metrics.ts';
import { openAudioRetention } from '../prediction/audio/audio-retention.ts';
import { openArrivals } from '../prediction/incoming/arrivals.ts';
import { createQuotaCounter } from '../prediction/incoming/daily-quotas.ts';
import { createDiskGuard } from '../prediction/incoming/disk-guard.ts';
import { createIncomingUploads } from '../prediction/incoming/incoming-uploads.ts';
import { openUploads } from '../prediction/incoming/uploads.ts';
import type { ModelLoader } from '../prediction/model-loader.ts';
import { createPredictions, type PredictionsOptions } from '../prediction/predictions.ts';
import { createJobStore } from '../prediction/queue/job-store.ts';
import { createLocalQueue } from '../prediction/queue/local-queue.ts';
import { createResumableUploads } from '../prediction/resumable/resumable-uploads.ts';
import { createLinkStore } from '../prediction/sharing/link-store.ts';
import { openTableFolder } from '../prediction/stored/stored-answers.ts';
import type { ServerLimits } from '../server-limits.ts';
import { workersOf, works } from './installation.ts';
import type { Configured, Stores } from './open-stores.ts';
import type { PartStack } from './part-stack.ts';

export interface RecordingsOptions
  extends Omit<Configured, 'secrets'>,
    Omit<Stores, 'settings'>,
    Pick<SharedState, 'createLimiter'> {
  readonly limits: Pick<ServerLimits, 'jobsPerWorker' | 'restorableMs'>;
  readonly service: AnalysisService;
  readonly modelLoader: ModelLoader;
  readonly metrics: Metrics;
}

export type Recordings = Awaited<ReturnType<typeof openRecordings>>;

/** Opens everything that a recording goes through: its upload, its prediction with the queue, its kept audio and its links. */
export async function openRecordings(options: RecordingsOptions, parts: PartStack) {
  const { config, limits, database, storage, dataDir, service, modelLoader, metrics, log } = options;
  const uploads = parts.add(await openUploads({ storage, dataDir, log }));
  const diskGuard = createDiskGuard(dataDir, config.minFreeDiskBytes);
  const resumable = createResumableUploads({ database, storage, diskGuard });
  const { retentionDays } = config;
  const sounds = parts.add(await openAudioRetention({ service, database, storage, log, retentionDays }));
  // With PostgreSQL one queue for all machines, otherwise one for this process.
  const createQueue: PredictionsOptions['createQueue'] = isPostgres(database)
    ? await (await import('../prediction/queue/postgres/postgres-queue.ts')).openPostgresQueue({
        database,
        works: works(config),
        log,
      })
    : (queue) => createLocalQueue({ ...queue, database, jobs: createJobStore(database) });
  const arrivals = isPostgres(database) ? parts.add(await openArrivals(database)) : null;
  const predictions = parts.add(
    createPredictions({
      createQueue,
      database,
      incoming: createIncomingUploads({
        quotas: createQuotaCounter(config, options.createLimiter),
        diskGuard,
        uploads,
        arrivals,
      }),
      uploads,
      modelLoader,
      log,
      service,
      tables: { path: await openTableFolder(dataDir), minFreeBytes: config.minFreeDiskBytes },
      sounds,
      counts: metrics,
      running: workersOf(config) * limits.jobsPerWorker,
      waiting: config.inferenceQueue,
      restorableMs: limits.restorableMs,
    }),
  );
  return { resumable, sounds, predictions, links: createLinkStore(database) };
}
