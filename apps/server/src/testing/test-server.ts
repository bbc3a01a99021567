import { mkdtemp, readdir, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { modelFolderOf } from '@chiffchaff/models';
import type { FastifyInstance, RouteOptions } from 'fastify';
import { pino } from 'pino';
import { type AppDependencies, buildApp } from '../app.ts';
import { readConfig } from '../config.ts';
import { type Database, openDatabase } from '../database/open-database.ts';
import { exportParts } from '../export-parts.ts';
import { createFfmpegFinder } from '../find-ffmpeg.ts';
import { openIdentity } from '../open-identity.ts';
import { createMetrics } from '../operation/metrics.ts';
import { createAnalyzerSource, type Missing } from '../prediction/analyzer-source.ts';
import type { KeptSounds } from '../prediction/audio/keep-sounds.ts';
import { openKeptSounds } from '../prediction/audio/open-kept-sounds.ts';
import { createPredictions, type Predictions } from '../prediction/create-predictions.ts';
import { arrivalPace } from '../prediction/load/arrival-pace.ts';
import { openResumableUploads, type ResumableUploads } from '../prediction/resumable/resumable-uploads.ts';
import type { SoundKeeper } from '../prediction/sound-keeper.ts';
import { openUploadFolder } from '../prediction/upload-folder.ts';
import { createFakeAnalyzer, type FakeAnalyzer } from './fake-analyzer.ts';

/** A whole server with a fake analyzer, a data folder of its own, and a log that a test can read. */
export interface TestServer {
  readonly app: FastifyInstance;
  readonly analyzer: FakeAnalyzer;
  readonly predictions: Predictions;
  readonly sounds: KeptSounds;
  readonly resumable: ResumableUploads;
  readonly database: Database;
  readonly stop: AbortController;
  readonly dataDir: string;
  /** Lines of the log so far, parsed. */
  readonly logged: Record<string, unknown>[];
  /** Names of the files that lie in the upload folder now. */
  uploadedFiles(): Promise<string[]>;
  /** Listens on a free port. @returns the origin */
  listen(): Promise<string>;
  close(): Promise<void>;
}

export interface TestServerOptions {
  readonly environment?: Record<string, string>;
  readonly missing?: readonly Missing[];
  readonly running?: number;
  readonly pageFolder?: string;
  readonly dependencies?: Partial<AppDependencies>;
  readonly sounds?: SoundKeeper;
  /** By which uploads in pieces grow old. */
  readonly uploadClock?: () => number;
  /** … and kept sound. */
  readonly soundClock?: () => number;
  /** How long a deletion can be undone. */
  readonly restorableMs?: number;
  /** A folder that an earlier server has left; it stays. */
  readonly dataDir?: string;
  /** Told of every route. */
  readonly onRoute?: (route: RouteOptions) => void;
}

export async function createTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  const { environment = {}, missing, running = 2, pageFolder = '/nowhere', dependencies = {}, onRoute } = options;
  const { config, secrets } = readConfig({ OPEN_PREDICTION: 'true', ...environment });
  const { restorableMs } = options;
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'chiffchaff-test-')));
  const logged: Record<string, unknown>[] = [];
  const log = pino({ level: 'debug' }, { write: (line: string) => logged.push(JSON.parse(line)) });
  const analyzer = createFakeAnalyzer();
  const stop = new AbortController();
  const analyzers = createAnalyzerSource({ load: async () => missing ?? analyzer, log, recheckMs: 0 });
  await analyzers.get().catch(() => {});
  const uploadFolder = join(dataDir, 'uploads');
  const database = openDatabase(dataDir);
  const uploads = await openUploadFolder(uploadFolder);
  const sounds = await openKeptSounds({
    findFfmpeg: createFfmpegFinder({
      searchPath: process.env.PATH,
      dataDir: join(import.meta.dirname, '../../../../data'),
      ffmpegPath: process.env.FFMPEG_PATH,
    }),
    ...{ database, dataDir, log, retentionDays: config.retentionDays },
    ...(options.soundClock ? { now: options.soundClock } : {}),
  });
  const resumable = await openResumableUploads({
    ...{ database, log, folder: join(dataDir, 'resumable-uploads'), maxBytes: config.maxUploadBytes },
    ...(options.uploadClock ? { now: options.uploadClock } : {}),
  });
  const metrics = createMetrics('0.0.0-test');
  const predictions = createPredictions({
    ...{ database, uploads, analyzers, log, running, sounds: options.sounds ?? sounds, counts: metrics },
    modelFolder: modelFolderOf(join(import.meta.dirname, '../../../../data'), config.modelId),
    waiting: config.inferenceQueue,
    ...(restorableMs === undefined ? {} : { restorableMs }),
  });
  const identity = await openIdentity({
    ...{ config, secrets, database, dataDir, publicUrl: () => 'http://127.0.0.1', log },
    async onAccountDeleted(accountId) {
      await resumable.deleteAccount(accountId);
      await predictions.deleteAccount(accountId);
    },
    exportParts: exportParts(predictions, sounds),
  });
  await predictions.start();
  const app = await buildApp({
    config,
    version: '0.0.0-test',
    dataDir,
    log,
    analyzers,
    predictions,
    sounds,
    resumable,
    places: { search: async () => [], close: async () => {} },
    identity,
    findStorageFault: database.findFault,
    metrics,
    metricsToken: secrets.metricsToken,
    pageFolder,
    stopping: stop.signal,
    uploadPace: { ...arrivalPace, milliseconds: 10_000, minBytes: 1 },
    ...(onRoute ? { onRoute } : {}),
    ...dependencies,
  });
  return {
    app,
    analyzer,
    predictions,
    sounds,
    resumable,
    database,
    stop,
    dataDir,
    logged,
    async uploadedFiles() {
      const names = await readdir(uploadFolder, { recursive: true });
      return names.flatMap((name) => (dirname(name) === '.' ? [] : [basename(name)])).sort();
    },
    async listen() {
      await app.listen({ host: '127.0.0.1', port: 0 });
      // A TCP server's address is never a path.
      const { port } = app.server.address() as AddressInfo;
      return `http://127.0.0.1:${port}`;
    },
    async close() {
      await app.close();
      await predictions.close();
      await sounds.close();
      await resumable.close();
      await identity.service.close();
      metrics.close();
      await database.close();
      if (options.dataDir === undefined) await rm(dataDir, { recursive: true, force: true });
    },
  };
}
