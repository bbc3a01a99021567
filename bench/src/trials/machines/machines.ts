/**
 * The machines of a trial: servers that are started again whenever they end, as by a service manager. Either one machine on a data folder,
 * or web and worker machines that share PostgreSQL and an S3 server, connected directly or by lines that can fail.
 */
import type { ChildProcess } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '@chiffchaff/server/testing/free-port';
import { startPostgres } from '@chiffchaff/server/testing/start-postgres';
import { createFolders, STORAGE_FOLDERS, startS3 } from '@chiffchaff/server/testing/start-s3';
import pg from 'pg';
import { withoutAttemptLimits } from '../../harness/api.ts';
import { type Line, openLine } from '../../harness/line.ts';
import { until } from '../../harness/measures.ts';
import { commandLineOf, readProcessTree } from '../../harness/processes.ts';
import {
  killGroup,
  makeDataFolder,
  type ServerOptions,
  type StartedServer,
  startServer,
  thisCheckout,
} from '../../harness/server.ts';

/** What a part of the trial is given. */
export interface PartOptions {
  /** number of faults, and the seed of their random choices */
  readonly faults: number;
  readonly seed: number;
  /** Folder of another version, already set up, whose servers and commands to test. */
  readonly checkout?: string | undefined;
  /** Reports progress, one line at a time. */
  readonly say: (line: string) => void;
}

export type Machine = Awaited<ReturnType<typeof startMachine>>;

interface MachineOptions extends Pick<ServerOptions, 'dataDir' | 'program'> {
  readonly name: string;
  readonly origin?: string;
  readonly checkout?: string | undefined;
  readonly environment: Readonly<Record<string, string>>;
  /** Like `RestartSec` of a systemd unit, which is 1 s. */
  readonly restartAfterMs?: number;
}

const HOST = '127.0.0.1';
const STARTS_WITHIN_MS = 60_000;
const ENDS_WITHIN_MS = 5_000;
const many = '1000000/86400';
/** Only the trial uses them, and may send as much as it likes. */
const settings = {
  ...withoutAttemptLimits,
  OPEN_PREDICTION: 'false',
  LOG_LEVEL: 'error',
  HOST,
  QUOTA_PER_ACCOUNT: many,
  QUOTA_PER_CLIENT: many,
  QUOTA_MEGABYTES_PER_ACCOUNT: many,
  QUOTA_MEGABYTES_PER_CLIENT: many,
};

/** Starts a machine. Disposing of it stops it and deletes its folder. @returns when it listens */
export async function startMachine(options: MachineOptions) {
  const { name, checkout = thisCheckout, restartAfterMs = 1_000 } = options;
  const { dataDir = await makeDataFolder(checkout) } = options;
  const PORT = options.environment.PORT ?? String(await freePort(HOST));
  let child: ChildProcess | null = null;
  let server: StartedServer | null = null;
  let [isStopped, isKilled] = [false, false];
  let [earlier, ownEnds] = ['', 0];
  const listening = Promise.withResolvers<void>();
  const onSpawn = (spawned: ChildProcess): void => {
    child = spawned;
  };
  const processes = (): readonly number[] => (child?.pid === undefined ? [] : readProcessTree(child.pid));
  const killAll = (): void => {
    if (child !== null) killGroup(child);
  };

  async function keepRunning(): Promise<void> {
    while (!isStopped) {
      isKilled = false;
      try {
        const environment = { ...settings, PORT, ...options.environment };
        server = await startServer(environment, { ...options, dataDir, checkout, asGroup: true, onSpawn });
        listening.resolve();
        await server.ended;
        earlier += server.written();
      } catch (error) {
        earlier += `${error instanceof Error ? error.message : error}\n`;
      }
      server = null;
      if (isStopped) return;
      if (!isKilled) ownEnds += 1;
      await delay(restartAfterMs);
    }
  }
  const over = keepRunning();

  const machine = {
    name,
    /** under which people reach it */
    origin: options.origin ?? `http://${HOST}:${PORT}`,
    dataDir,
    /** Kills its server and all its processes with SIGKILL, also while it starts. It is started again soon. */
    async kill(): Promise<void> {
      isKilled = true;
      killAll();
      await server?.ended;
    },
    /** Ends its server with SIGTERM. @returns command lines of processes that went on */
    async stop(): Promise<readonly string[]> {
      isStopped = true;
      const running = processes();
      const left = (): readonly string[] => running.map(commandLineOf).filter((line) => line !== '');
      await server?.stop();
      await until(`${name} has ended`, () => left().length === 0, { withinMs: ENDS_WITHIN_MS }).catch(() => {});
      const found = left();
      killAll();
      await over;
      return found;
    },
    /** All output of its servers. */
    written: (): string => earlier + (server?.written() ?? ''),
    /** Its processes: the server, the analysis, decoders. */
    processes,
    /** How often its server has ended without being told to. */
    ownEnds: () => ownEnds,
    async [Symbol.asyncDispose](): Promise<void> {
      await machine.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
  if (await Promise.race([listening.promise, delay(STARTS_WITHIN_MS, true, { ref: false })])) {
    await machine.stop();
    throw new Error(`${name} does not start:\n${earlier}`);
  }
  return machine;
}

/** @example 'line from web1 to PostgreSQL' */
type NamedLine = Line & { readonly name: string };

export type Cluster = Awaited<ReturnType<typeof startCluster>>;

export interface ClusterOptions {
  readonly webs: number;
  readonly workers: number;
  readonly checkout?: string | undefined;
  /** Connects machines by lines that can fail, instead of directly. */
  readonly hasLines?: true;
  /** Program of the workers instead of the server. */
  readonly workerProgram?: string | undefined;
}

/** Starts web and worker machines that share one database and one storage. */
export async function startCluster(options: ClusterOptions) {
  await using opening = new AsyncDisposableStack();
  const [postgres, storage] = await Promise.all([startPostgres({ fsync: true }), startS3()]);
  opening.defer(async () => void (await Promise.all([postgres.stop(), storage.stop()])));
  await createFolders(storage.endpoint, STORAGE_FOLDERS);
  const lines: NamedLine[] = [];
  const [webs, workers]: [Machine[], Machine[]] = [[], []];
  const stopMachines = async () => (await Promise.all([...webs, ...workers].map((machine) => machine.stop()))).flat();
  opening.defer(async () => {
    await stopMachines();
    for (const line of lines) line.close();
  });

  /** The same address, reached through a line of its own, if there are lines. */
  async function lineTo(address: string, from: string, to: string): Promise<string> {
    if (!options.hasLines) return address;
    const line = await openLine(address);
    lines.push({ ...line, name: `line from ${from} to ${to}` });
    return line.address;
  }

  async function add(role: 'web' | 'worker', number: number): Promise<Machine> {
    const name = `${role}${number}`;
    const port = await freePort(HOST);
    return startMachine({
      name,
      origin: await lineTo(`http://${HOST}:${port}`, 'people', name),
      checkout: options.checkout,
      ...(role === 'worker' && options.workerProgram && { program: options.workerProgram }),
      environment: {
        ...storage.environment,
        // Users reach all web machines under one URL; the trial has no proxy.
        PUBLIC_URL: 'http://chiffchaff.test',
        INFERENCE_WORKERS: '1',
        INFERENCE_QUEUE: '200',
        DATABASE_URL: await lineTo(postgres.url, name, 'PostgreSQL'),
        S3_ENDPOINT: await lineTo(storage.endpoint, name, 'storage'),
        ROLE: role,
        PORT: String(port),
      },
    });
  }

  // One at a time, because the first creates the tables.
  while (webs.length < options.webs) webs.push(await add('web', webs.length + 1));
  workers.push(...(await Promise.all(Array.from({ length: options.workers }, (_, index) => add('worker', index + 1)))));
  const held = opening.move();
  return {
    postgres,
    storage,
    webs,
    workers,
    /** empty if machines are connected without them */
    lines,
    checkout: options.checkout ?? thisCheckout,
    /** Queries the database directly. */
    async query<Row>(sql: string): Promise<readonly Row[]> {
      const client = new pg.Client({ connectionString: postgres.url });
      await client.connect();
      try {
        return (await client.query(sql)).rows;
      } finally {
        await client.end();
      }
    },
    /** Stops its machines. @returns command lines of processes that went on */
    stopMachines,
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}
