import type { AddressInfo } from 'node:net';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type AnalysisService, startAnalysisProcess } from '@chiffchaff/analysis';
import { programVersion } from '@chiffchaff/analysis/program-version';
import { missingTerms } from '@chiffchaff/contract';
import { modelFolderOf } from '@chiffchaff/models';
import type { FastifyBaseLogger } from 'fastify';
import { type AppOverrides, buildApp } from './app.ts';
import type { Config, Secrets } from './config/config.ts';
import { isPostgres, openDatabase } from './database/open-database.ts';
import { checkPages } from './database/sqlite/check/check-pages.ts';
import { lockDataFolder } from './database/sqlite/lock-data-folder.ts';
import { type OpenedIdentity, openIdentity } from './identity/open-identity.ts';
import { explainListening } from './listen-error.ts';
import { requireOneStorage } from './machines/one-storage.ts';
import { openSharedState } from './machines/shared-state.ts';
import { createMetrics } from './operation/metrics.ts';
import type { PlaceIndex } from './places/place-index.ts';
import { createPreparedPlaces } from './places/prepared-places.ts';
import { openAudioRetention, type SoundsOfPredictions } from './prediction/audio/audio-retention.ts';
import { openArrivals } from './prediction/incoming/arrivals.ts';
import { createQuotaCounter } from './prediction/incoming/daily-quotas.ts';
import { createDiskGuard } from './prediction/incoming/disk-guard.ts';
import { createIncomingUploads } from './prediction/incoming/incoming-uploads.ts';
import { removeStrayUploads } from './prediction/incoming/stray-uploads.ts';
import { openUploadBucket } from './prediction/incoming/upload-bucket.ts';
import { openUploadFolder } from './prediction/incoming/upload-folder.ts';
import { createModelLoader, createServiceLoad, type ModelLoader } from './prediction/model-loader.ts';
import { createPredictions } from './prediction/predictions.ts';
import { openQueue } from './prediction/queue/open-queue.ts';
import { openResumableUploads } from './prediction/resumable/resumable-uploads.ts';
import { openUploadLocks } from './prediction/resumable/upload-locks.ts';
import { createLinkStore } from './prediction/sharing/link-store.ts';
import { openTableFolder } from './prediction/stored/stored-answers.ts';
import type { CurrentSettings } from './settings/operator-settings.ts';
import { openSettings } from './settings/settings.ts';
import { createSetupCodes, isNew, setupInvitation } from './settings/setup-codes.ts';
import { createSpeciesPictures, type SpeciesPicturesOptions } from './species/pictures/species-pictures.ts';
import { createWikimedia, type wikimediaHosts } from './species/pictures/wikimedia.ts';
import { openStorage } from './storage/open-storage.ts';
import { buildWorkerApp } from './worker-app.ts';

export interface ServerOptions {
  readonly config: Config;
  readonly secrets: Secrets;
  readonly log: FastifyBaseLogger;
}

/** What tests replace. */
export interface ServerOverrides extends AppOverrides {
  readonly modelLoader?: ModelLoader;
  readonly service?: AnalysisService;
  /** How long a failed load of the model is believed before the next one. */
  readonly recheckMs?: number;
  readonly places?: PlaceIndex;
  readonly sounds?: SoundsOfPredictions;
  /** the clock by which resumable uploads expire */
  readonly uploadClock?: () => number;
  /** the clock by which kept audio expires */
  readonly soundClock?: () => number;
  /** the clock by which tokens and cached accounts expire */
  readonly identityClock?: () => number;
  /** recordings analysed concurrently */
  readonly running?: number;
  /** Where pictures of birds come from, and their limits. */
  readonly wikimediaHosts?: typeof wikimediaHosts;
  readonly pictures?: Partial<SpeciesPicturesOptions>;
  /** How long a deletion can be undone. */
  readonly restorableMs?: number;
  /** Aborts when the server no longer waits for work in flight. */
  readonly stopping?: AbortController;
}

/** A server with all its parts. */
export type Server = Awaited<ReturnType<typeof openServer>>;

const PROJECT_FOLDER = fileURLToPath(new URL('../../../', import.meta.url));

/** Several recordings share the workers, so a short one is not stuck behind a long one. */
const JOBS_PER_WORKER = 2;
/** Time for the integrity check of the database at start: enough for a few gigabytes. */
const PAGE_CHECK_MS = 10_000;
/** Enough to delete ten of the longest answers at once. */
const DELETION_RESERVE_BYTES = 16 * 1024 * 1024;
/** Schedules of cleanup shared by several machines; a single machine uses timers. */
const EVERY_MINUTE = '* * * * *';
const EVERY_TEN_MINUTES = '*/10 * * * *';
const EVERY_SIX_HOURS = '0 */6 * * *';
const EVERY_NIGHT = '17 3 * * *';
/** How long work in flight may take when the server stops. */
const GRACE_MS = 15_000;
/** Time to send the responses of stopped work. */
const ANSWER_MS = 3_000;

/**
 * Opens everything the server needs and resumes what an earlier run left; `start` listens. It starts without a model or decoder. If a part
 * fails to open, all parts opened before it are closed.
 */
export async function openServer({ config, secrets, log }: ServerOptions, overrides: ServerOverrides = {}) {
  await using opening = new AsyncDisposableStack();
  const opened = <Part extends { close(): unknown }>(part: Part): Part =>
    opening.adopt(part, async () => void (await part.close()));
  const dataDir = resolve(PROJECT_FOLDER, config.dataDir);
  opening.defer(lockDataFolder(dataDir));
  if (!(await checkPages(dataDir, PAGE_CHECK_MS))) {
    log.warn(
      `the pages of the database were not all checked within ${PAGE_CHECK_MS / 1000} s; "npm run backup -- --check DATA_DIR" checks all of them`,
    );
  }
  const metrics = opened(createMetrics());
  const { databaseUrl } = secrets;
  const database = opened(await openDatabase({ databaseUrl, dataDir, log, reserveBytes: DELETION_RESERVE_BYTES }));
  const settings = opened(await openSettings(database, config.fixedSettings, log));
  const setupCodes = createSetupCodes(database);
  const works = config.role !== 'web';
  const serves = config.role !== 'worker';
  const workers = config.inferenceWorkers ?? availableParallelism();
  const ready = Promise.withResolvers<void>();
  const modelFolderPath = modelFolderOf(dataDir, config.modelId);
  const service = opened(
    overrides.service ??
      startAnalysisProcess({
        modelFolderPath,
        dataDir,
        ffmpegPath: config.ffmpegPath === null ? undefined : resolve(PROJECT_FOLDER, config.ffmpegPath),
        searchPath: config.searchPath,
        // Opening and recomputing answers needs no acoustic model, which takes most of the memory.
        workers: works ? workers : 0,
        limits: { maxSeconds: config.maxRecordingSeconds },
        onInterrupted: (error) => log.warn({ err: error }, 'the analysis process ended; a new one is starting'),
      }),
  );
  const { recheckMs } = overrides;
  const modelLoader = opened(
    overrides.modelLoader ??
      createModelLoader({
        load: createServiceLoad(service, modelFolderPath, log),
        log,
        onLoaded: ready.resolve,
        recheckMs,
      }),
  );
  const storage = opened(await openStorage(config, secrets, dataDir));
  if (isPostgres(database)) await requireOneStorage(database, storage);
  const uploads = opened(storage.bucket ? openUploadBucket({ storage, log }) : await openUploadFolder(dataDir));
  const places = opened(createPreparedPlaces(join(dataDir, 'cache')));
  const resumable = opened(
    await openResumableUploads({
      database,
      log,
      storage,
      dataDir,
      uploads,
      locks: opened(await openUploadLocks(isPostgres(database) && storage.bucket ? database : null)),
      now: overrides.uploadClock,
    }),
  );
  const { retentionDays } = config;
  const sounds = opened(await openAudioRetention({ service, database, storage, log, retentionDays, now: overrides.soundClock }));
  const shared = await openSharedState(database);
  const quotas = createQuotaCounter(config, shared.createLimiter);
  const arrivals = isPostgres(database) ? opened(await openArrivals(database)) : null;
  const diskGuard = createDiskGuard(dataDir, config.minFreeDiskBytes);
  const predictions = opened(
    createPredictions({
      createQueue: await openQueue(database, { works, log }),
      database,
      incoming: createIncomingUploads({ quotas, diskGuard, uploads, arrivals }),
      uploads,
      modelLoader,
      log,
      service,
      tables: { path: await openTableFolder(dataDir), minFreeBytes: config.minFreeDiskBytes },
      sounds: overrides.sounds ?? sounds,
      counts: metrics,
      running: overrides.running ?? workers * JOBS_PER_WORKER,
      waiting: config.inferenceQueue,
      restorableMs: overrides.restorableMs,
    }),
  );
  const links = createLinkStore(database);
  const userAgent = () =>
    `Chiffchaff/${programVersion.version} (${[config.publicUrl, settings.current().terms.contactEmail].filter(Boolean).join('; ')})`;
  const wikimedia = createWikimedia(userAgent, overrides.wikimediaHosts);
  const pictures = opened(createSpeciesPictures({ storage, wikimedia, log, ...overrides.pictures }));
  let url = 'http://127.0.0.1';
  const identity = await openIdentity({
    config,
    secrets,
    settings,
    database,
    dataDir,
    log,
    publicUrl: () => config.publicUrl ?? url,
    now: overrides.identityClock,
    ...shared,
    async onAccountDeleted(accountId, createdUntilMs) {
      await resumable.deleteAccount(accountId, createdUntilMs);
      await links.revokeAll(accountId, createdUntilMs);
      await predictions.deleteAccount(accountId, createdUntilMs);
    },
    async onAccountEnded(accountId) {
      await Promise.all([resumable.deleteAccount(accountId), predictions.stopAccount(accountId)]);
    },
    // The export lists kept audio, which is downloaded file by file.
    exportParts: [
      { name: 'predictions', export: (accountId) => predictions.exportAccount(accountId) },
      { name: 'settings', export: async (accountId) => ({ keepAudio: await sounds.store.settingOf(accountId) }) },
      { name: 'links', export: (accountId) => links.ofAccount(accountId) },
      { name: 'keptAudio', export: (accountId) => sounds.exportAccount(accountId) },
    ],
  });
  opened(identity.service);
  if (serves) warnOfBlanks(settings.current(), identity, log);
  const stopping = overrides.stopping ?? new AbortController();
  const parts = {
    config,
    secrets,
    settings,
    setupCodes,
    dataDir,
    log,
    modelLoader,
    predictions,
    sounds,
    service,
    links,
    resumable,
    places: overrides.places ?? places,
    pictures,
    identity,
    database,
    storage,
    metrics,
    ...shared,
    stopping: stopping.signal,
  };
  const app = serves
    ? await buildApp(parts, { pageFolder: join(PROJECT_FOLDER, 'apps/web/dist'), ...overrides })
    : await buildWorkerApp(parts);

  // Missing parts have been logged, and each request that needs them says so.
  await modelLoader.get().catch(() => {});
  if (isPostgres(database)) {
    const { openSchedules } = await import('./machines/schedules.ts');
    const ofBucket = [{ name: 'remove-stray-uploads', cron: EVERY_NIGHT, work: () => removeStrayUploads(storage, database) }];
    const chores = [
      ...(storage.bucket ? ofBucket : []),
      { name: 'sweep-sounds', cron: EVERY_MINUTE, work: sounds.sweep },
      { name: 'sweep-uploads', cron: EVERY_TEN_MINUTES, work: resumable.sweep },
      { name: 'purge-deleted', cron: EVERY_MINUTE, work: predictions.sweep },
      { name: 'maintain-accounts', cron: EVERY_SIX_HOURS, work: identity.service.maintain },
      { name: 'clear-counts', cron: EVERY_TEN_MINUTES, work: shared.clearCounts },
    ];
    if (works) {
      await sounds.sweep();
      await resumable.sweep();
    }
    await predictions.start();
    if (works) {
      opened(await openSchedules({ database, log, chores }));
      if (storage.bucket) await sounds.startPreparing();
    }
  } else {
    await sounds.start();
    await resumable.start();
    await predictions.start();
    predictions.startDeletionTimer();
  }
  const held = opening.move();
  app.addHook('onClose', () => held.disposeAsync());

  const hurry = (): void => {
    stopping.abort(new DOMException('The server is stopping', 'AbortError'));
    database.stopWaiting();
  };

  async function close(): Promise<void> {
    const patience = setTimeout(hurry, GRACE_MS);
    const end = setTimeout(() => app.server.closeAllConnections(), GRACE_MS + ANSWER_MS);
    try {
      await app.close();
    } finally {
      clearTimeout(patience);
      clearTimeout(end);
    }
    log.info('stopped');
  }

  let closed: Promise<void> | null = null;
  return {
    app,
    modelLoader,
    predictions,
    sounds,
    resumable,
    identity,
    database,
    storage,
    /**
     * Listens.
     *
     * @param onReady called once the model is loaded
     * @param print a line for the terminal: how to set up a server that nobody has used yet; without one no code is made
     * @returns where this machine reaches it
     * @throws ListenError
     */
    async start(onReady: (url: string) => void = () => {}, print?: (text: string) => void): Promise<string> {
      try {
        await app.listen({ host: config.host, port: config.port });
      } catch (error) {
        await app.close();
        throw explainListening(error, config);
      }
      url = localUrl(app.server.address());
      void ready.promise.then(() => onReady(url));
      if (!serves) return url;
      if (print && missingTerms(settings.current().terms).length > 0 && (await isNew(database))) {
        const origin = config.publicUrl?.startsWith('https:') ? config.publicUrl : url;
        print(setupInvitation(origin, await setupCodes.make({ replace: !isPostgres(database) })));
      }
      places
        .prepare()
        .catch((error: unknown) => log.warn({ err: error }, 'places could not be prepared; the next search will try again'));
      return url;
    },
    /**
     * Takes no more requests, lets work in flight finish for a while, then stops it; gives everything back. A second call hurries the first.
     */
    close(): Promise<void> {
      if (closed) hurry();
      closed ??= close();
      return closed;
    },
  };
}

function warnOfBlanks({ terms }: CurrentSettings, { publicIdentity }: OpenedIdentity, log: FastifyBaseLogger): void {
  if (!publicIdentity.mailAvailable) log.warn('SMTP_URL is not set: people cannot reset a password or verify their address');
  const blanks = missingTerms(terms);
  if (blanks.length === 0) return;
  const verb = blanks.length === 1 ? 'is' : 'are';
  log.warn(
    `the terms at /toc are incomplete: ${blanks.join(', ')} ${verb} not set; visitors see a short text instead ("./chiffchaff admin setup" says how to fill them in)`,
  );
}

/** Wildcard addresses are for listening; this machine asks itself. */
function localUrl(address: AddressInfo | string | null): string {
  if (address === null || typeof address === 'string') throw new Error('The server has no address');
  const own: Record<string, string> = { '0.0.0.0': '127.0.0.1', '::': '127.0.0.1' };
  const host = own[address.address] ?? address.address;
  return `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`;
}
