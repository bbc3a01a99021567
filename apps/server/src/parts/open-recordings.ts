import type { Metrics } from '../operation/metrics.ts';
import { openAudioRetention } from '../prediction/audio/audio-retention.ts';
import { createQuotaCounter } from '../prediction/incoming/daily-quotas.ts';
import { createDiskGuard } from '../prediction/incoming/disk-guard.ts';
import { createIncomingUploads } from '../prediction/incoming/incoming-uploads.ts';
import { openUploads } from '../prediction/incoming/uploads.ts';
import { createPredictions } from '../prediction/predictions.ts';
import { createResumableUploads } from '../prediction/resumable/resumable-uploads.ts';
import { createLinkStore } from '../prediction/sharing/link-store.ts';
import { openTableFolder } from '../prediction/stored/stored-answers.ts';
import { workersOf } from './installation.ts';
import type { Machines } from './machines.ts';
import type { Analysis } from './open-analysis.ts';
import type { ServerOptions, Stores } from './open-stores.ts';
import type { PartStack } from './part-stack.ts';

type RecordingsOptions = ServerOptions & Stores & Analysis & Machines & { readonly metrics: Metrics };

export type Recordings = Awaited<ReturnType<typeof openRecordings>>;

/** Opens everything that a recording goes through: its upload, its prediction with the queue, its kept audio and its links. */
export async function openRecordings(options: RecordingsOptions, parts: PartStack) {
  const { config, limits, database, storage, dataDir, service, modelLoader, metrics, log } = options;
  const uploads = parts.add(await openUploads({ storage, dataDir, log }));
  const diskGuard = createDiskGuard(dataDir, config.minFreeDiskBytes);
  const resumable = createResumableUploads({ database, storage, diskGuard });
  const { retentionDays } = config;
  const sounds = parts.add(await openAudioRetention({ service, database, storage, log, retentionDays }));
  const predictions = parts.add(
    createPredictions({
      createQueue: options.createQueue,
      database,
      incoming: createIncomingUploads({
        quotas: createQuotaCounter(config, options.createLimiter),
        diskGuard,
        uploads,
        arrivals: options.arrivals,
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
