import { readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { modelFolderOf } from '@chiffchaff/models';
import type { FastifyBaseLogger } from 'fastify';
import { z } from 'zod';
import { buildApp } from './app.ts';
import type { Config, Secrets } from './config.ts';
import { checkPages } from './database/check-pages.ts';
import { openDatabase } from './database/open-database.ts';
import { exportParts } from './export-parts.ts';
import { createFfmpegFinder } from './find-ffmpeg.ts';
import { createAnalyzerLoader } from './load-analyzer.ts';
import { openIdentity } from './open-identity.ts';
import { createMetrics } from './operation/metrics.ts';
import { createPreparedPlaces } from './places/prepared-places.ts';
import { createAnalyzerSource } from './prediction/analyzer-source.ts';
import { openKeptSounds } from './prediction/audio/open-kept-sounds.ts';
import { createPredictions } from './prediction/create-predictions.ts';
import { arrivalPace } from './prediction/load/arrival-pace.ts';
import { openResumableUploads } from './prediction/resumable/resumable-uploads.ts';
import { openUploadFolder } from './prediction/upload-folder.ts';
import { unsetTerms } from './terms-variables.ts';

/** A server that answers. */
export interface RunningServer {
  /** Where this machine reaches it. */
  readonly url: string;
  /**
   * Takes no more requests, lets work in flight finish for a while, then stops it; gives everything back. A second call hurries
   * the first.
   */
  stop(): Promise<void>;
}

export interface StartServerOptions {
  readonly config: Config;
  readonly secrets: Secrets;
  readonly log: FastifyBaseLogger;
  /** Told once, when predictions can be answered: at the start, or when what was missing has been installed. */
  readonly onReady: (url: string) => void;
  /** How long work in flight may take at the end. */
  readonly graceMs?: number;
}

const projectFolder = fileURLToPath(new URL('../../../', import.meta.url));
const packageSchema = z.object({ version: z.string() });
const version = packageSchema.parse(JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))).version;

/** Several recordings share the workers, so that a short one is not stuck behind a long one. */
const JOBS_PER_WORKER = 2;
/** What a start may spend on looking for damage in the database: enough for a few gigabytes. */
const PAGE_CHECK_MS = 10_000;
/** Enough to delete ten of the longest answers at once. */
const DELETION_RESERVE_BYTES = 16 * 1024 * 1024;
const DEFAULT_GRACE_MS = 15_000;
/** After work has been stopped, its answers still need a moment. */
const ANSWER_MS = 3_000;

/** Builds the server with everything it works with, and listens. A model or a decoder that is missing does not keep it from starting. */
export async function startServer({
  config,
  secrets,
  log,
  onReady,
  graceMs = DEFAULT_GRACE_MS,
}: StartServerOptions): Promise<RunningServer> {
  const dataDir = resolve(projectFolder, config.dataDir);
  await mkdir(dataDir, { recursive: true });
  if (!(await checkPages(dataDir, PAGE_CHECK_MS))) {
    log.warn(
      `the pages of the database were not all looked at within ${PAGE_CHECK_MS / 1000} s; "npm run backup -- --check DATA_DIR" looks at all of them`,
    );
  }
  const workers = config.inferenceWorkers ?? availableParallelism();
  const ffmpegPath = config.ffmpegPath === null ? undefined : resolve(projectFolder, config.ffmpegPath);
  const stopping = new AbortController();
  const listening = Promise.withResolvers<string>();
  listening.promise.catch(() => {});
  const analyzers = createAnalyzerSource({
    load: createAnalyzerLoader({ config, dataDir, ffmpegPath, workers, log }),
    log,
    onLoaded: () => void listening.promise.then(onReady, () => {}),
  });
  const uploads = await openUploadFolder(join(dataDir, 'uploads'));
  const places = createPreparedPlaces(join(dataDir, 'cache'));
  const database = openDatabase(dataDir, undefined, { reserveBytes: DELETION_RESERVE_BYTES });
  const metrics = createMetrics(version);
  const sounds = await openKeptSounds({
    findFfmpeg: createFfmpegFinder({ searchPath: config.searchPath, dataDir, ffmpegPath }),
    ...{ database, dataDir, log, retentionDays: config.retentionDays },
  });
  const resumable = await openResumableUploads({
    ...{ database, log, folder: join(dataDir, 'resumable-uploads'), maxBytes: config.maxUploadBytes },
  });
  const predictions = createPredictions({
    ...{ database, uploads, analyzers, log },
    modelFolder: modelFolderOf(dataDir, config.modelId),
    sounds,
    counts: metrics,
    running: workers * JOBS_PER_WORKER,
    waiting: config.inferenceQueue,
  });
  let listeningOn = '';
  const publicUrl = (): string => config.publicUrl ?? listeningOn;
  const identity = await openIdentity({
    ...{ config, secrets, database, dataDir, publicUrl, log },
    async onAccountDeleted(accountId) {
      await resumable.deleteAccount(accountId);
      await predictions.deleteAccount(accountId);
    },
    exportParts: exportParts(predictions, sounds),
  });
  if (!identity.publicIdentity.mailAvailable) {
    log.warn('SMTP_URL is not set: people cannot reset a password or verify their address');
  }
  const blanks = unsetTerms(config.terms);
  if (blanks.length > 0) {
    log.warn(
      { variables: blanks },
      `the terms at /toc have blanks: ${blanks.join(', ')} ${blanks.length === 1 ? 'is' : 'are'} not set`,
    );
  }
  const app = await buildApp({
    config,
    version,
    dataDir,
    log,
    analyzers,
    predictions,
    sounds,
    resumable,
    places,
    identity,
    findStorageFault: database.findFault,
    metrics,
    metricsToken: secrets.metricsToken,
    pageFolder: join(projectFolder, 'apps/web/dist'),
    stopping: stopping.signal,
    uploadPace: arrivalPace,
  });
  app.addHook('onClose', async () => {
    await predictions.close();
    await sounds.close();
    await resumable.close();
    await Promise.allSettled([analyzers.close(), places.close()]);
    await uploads.close();
    await identity.service.close();
    await database.close();
    metrics.close();
  });

  // What is missing has been logged, and each request that needs it says so.
  await analyzers.get().catch(() => {});
  await sounds.start();
  await resumable.start();
  await predictions.start();
  try {
    await app.listen({ host: config.host, port: config.port });
  } catch (error) {
    listening.reject(error);
    await app.close();
    throw error;
  }
  let stopped: Promise<void> | null = null;
  const url = localUrl(app.server.address());
  listeningOn = url;
  listening.resolve(url);
  places
    .prepare()
    .catch((error: unknown) => log.warn({ err: error }, 'places could not be prepared; the next search tries again'));

  const hurry = (): void => {
    stopping.abort(new DOMException('The server stops', 'AbortError'));
    database.stopWaiting();
  };

  async function close(): Promise<void> {
    const patience = setTimeout(hurry, graceMs);
    const end = setTimeout(() => app.server.closeAllConnections(), graceMs + ANSWER_MS);
    try {
      await app.close();
    } finally {
      clearTimeout(patience);
      clearTimeout(end);
    }
    log.info('stopped');
  }

  return {
    url,
    stop() {
      if (stopped) hurry();
      stopped ??= close();
      return stopped;
    },
  };
}

/** Wildcard addresses are for listening; this machine asks itself. */
function localUrl(address: AddressInfo | string | null): string {
  if (address === null || typeof address === 'string') throw new Error('The server has no address');
  const own: Record<string, string> = { '0.0.0.0': '127.0.0.1', '::': '127.0.0.1' };
  const host = own[address.address] ?? address.address;
  return `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`;
}
