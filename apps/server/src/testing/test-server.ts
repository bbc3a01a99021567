import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AnalysisService, createAnalysisService, type MissingPart } from '@chiffchaff/analysis';
import { ffmpegPath, modelFolderPath } from '@chiffchaff/analysis/testing';
import type { WrittenSettings } from '@chiffchaff/contract';
import type { FastifyInstance, RouteOptions } from 'fastify';
import { pino } from 'pino';
import { readConfig } from '../config/config.ts';
import { variables } from '../config/variables.ts';
import { openServer, type Server } from '../open-server.ts';
import type { Installation } from '../parts/installation.ts';
import type { PlaceIndex } from '../places/place-index.ts';
import type { PreparedPlaces } from '../places/prepared-places.ts';
import { type ServerLimits, serverLimits } from '../server-limits.ts';
import { wikimediaHosts } from '../species/pictures/wikimedia.ts';
import { createFakeAnalyzer, type FakeAnalyzer } from './fake-analyzer.ts';
import { dropTestDatabase } from './test-database.ts';
import { storesOf } from './test-stores.ts';

/** A whole server with a fake analyzer, its own data folder, and a log that tests can read. */
export interface TestServer extends Omit<Server, 'start'> {
  readonly analyzer: FakeAnalyzer;
  readonly dataDir: string;
  /** Lines of the log so far, parsed. */
  readonly logged: Record<string, unknown>[];
  /** All routes of the server. */
  readonly routes: readonly RouteOptions[];
  /** Names of incoming and queued recordings. */
  uploadedFiles(): Promise<string[]>;
  /**
   * Resolves when no background work is left: no analysis, no preparation of audio, no deletion, no mail in progress. For tests that check
   * what remains; it never resolves while the analyzer is held. A stream of events ends with its outcome.
   */
  settled(): Promise<void>;
  /** Listens on a free port. @returns the origin */
  listen(): Promise<string>;
  /** Listens as `main.ts` does, with a terminal. */
  startPrinting(print: (text: string) => void): Promise<string>;
}

export interface TestServerOptions extends Partial<Pick<Installation, 'pageFolder' | 'wikimediaHosts'>> {
  readonly environment?: Record<string, string>;
  readonly limits?: Partial<ServerLimits>;
  /** Without it no place is found. */
  readonly places?: Partial<PlaceIndex>;
  /** What the settings file contains. */
  readonly fixedSettings?: Partial<WrittenSettings>;
  readonly missing?: readonly MissingPart['code'][];
  /** Changes what the analysis service does. */
  readonly changeService?: (service: AnalysisService) => AnalysisService;
  /** The folder of an earlier server. It is kept, as is its database on PostgreSQL. */
  readonly dataDir?: string;
}

/** Names of all environment variables that a server reads. */
const known = new Set(['PATH', ...Object.values(variables).map(({ name }) => name)]);

/** @throws Error for a name that no server reads: the test would not run with the setting that it states */
function refuseUnknown(environment: Readonly<Record<string, string>>): void {
  const unknown = Object.keys(environment).filter((name) => !known.has(name));
  if (unknown.length > 0) throw new Error(`No server reads ${unknown.join(', ')} from its environment`);
}

const noPlaces: PreparedPlaces = {
  prepare: async () => {},
  search: async () => [],
  regionAt: async () => null,
  townAt: async () => null,
  townCells: async () => new Map(),
  close: async () => {},
};

export async function createTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  const { environment = {}, fixedSettings = {}, missing, changeService = (service) => service } = options;
  refuseUnknown(environment);
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'chiffchaff-test-')));
  const { config, secrets } = readConfig({
    PATH: process.env.PATH,
    ...(await storesOf(dataDir)),
    OPEN_PREDICTION: 'true',
    INFERENCE_WORKERS: '1',
    PORT: '0',
    DATA_DIR: dataDir,
    ...environment,
  });
  const logged: Record<string, unknown>[] = [];
  const log = pino({ level: 'debug' }, { write: (line: string) => logged.push(JSON.parse(line)) });
  const analyzer = createFakeAnalyzer();
  const service = createAnalysisService({
    openInstalled: async () => (missing ? { missing: missing.map((code) => ({ code, advice: code })) } : analyzer),
    findFfmpeg: async () => ffmpegPath,
    modelFolderPath,
  });
  const { result: server, routes } = await withRoutes(() =>
    openServer({
      config: { ...config, fixedSettings },
      secrets,
      log,
      installation: {
        startAnalysis: () => changeService(service),
        openPlaces: () => ({ ...noPlaces, ...options.places }),
        pageFolder: options.pageFolder ?? '/nowhere',
        wikimediaHosts: options.wikimediaHosts ?? wikimediaHosts,
      },
      limits: {
        ...serverLimits,
        recheckModelMs: 0,
        uploadPace: { ...serverLimits.uploadPace, milliseconds: 10_000, minBytes: 1 },
        ...options.limits,
      },
    }),
  );
  return {
    ...server,
    analyzer,
    routes,
    dataDir,
    logged,
    async uploadedFiles() {
      const names = await readdir(join(dataDir, 'scratch', 'arriving'));
      for await (const { name } of server.storage.list('uploads/')) names.push(name.slice('uploads/'.length));
      return names.sort();
    },
    async settled() {
      // An answer leaves audio to prepare, and prepared audio may be due for deletion.
      await server.predictions.settled();
      await server.sounds.settled();
      await server.predictions.settled();
      await server.identity.embedded?.methods.mailQueue?.settled();
    },
    listen: () => server.start(),
    startPrinting: (print) => server.start(() => {}, print),
    async close() {
      await server.close();
      if (options.dataDir !== undefined) return;
      await dropTestDatabase(dataDir);
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** Also returns the routes that any server registers meanwhile. */
async function withRoutes<Result>(open: () => Promise<Result>): Promise<{ result: Result; routes: RouteOptions[] }> {
  const routes: RouteOptions[] = [];
  const collect = (message: unknown): void =>
    void (message as { fastify: FastifyInstance }).fastify.addHook('onRoute', (route) => void routes.push(route));
  subscribe('fastify.initialization', collect);
  try {
    return { result: await open(), routes };
  } finally {
    unsubscribe('fastify.initialization', collect);
  }
}
