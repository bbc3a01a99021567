import { setTimeout as delay } from 'node:timers/promises';
import { startPostgres, type TestPostgres } from '@chiffchaff/server/testing/start-postgres';
import { type S3Keeps, startS3, type TestS3 } from '@chiffchaff/server/testing/start-s3';
import pg from 'pg';
import { withoutAttemptLimits } from '../../harness/accounts.ts';
import { makeDataFolder } from '../../harness/server.ts';
import { type Machine, type MachineOptions, startMachine } from './machine.ts';
import type { Network } from './network.ts';

/** All possible machines; the trial itself runs on `load`. */
export const machineNames = [
  ...['load', 'postgres', 'storage', 'web1', 'web2', 'web3'],
  ...Array.from({ length: 8 }, (_, index) => `worker${index + 1}`),
] as const;

/** Web and worker machines that share one database and one storage. */
export interface Cluster {
  readonly postgres: TestPostgres;
  readonly storage: TestS3;
  readonly webs: readonly Machine[];
  readonly workers: readonly Machine[];
  /** Adds a machine. @returns when it listens */
  add(role: 'web' | 'worker', options?: Partial<MachineOptions>): Promise<Machine>;
  /** Queries the database directly. */
  query<Row>(sql: string): Promise<readonly Row[]>;
  stop(): Promise<void>;
}

export interface ClusterOptions {
  readonly webs: number;
  readonly workers: number;
  /** where the storage keeps objects: in memory, or on disk so that it can be killed */
  readonly keeps: S3Keeps;
  readonly environment?: Readonly<Record<string, string>>;
  /** Options of a single worker. */
  readonly worker?: (name: string) => Partial<MachineOptions>;
}

const WEB_PORT = 8080;
const POSTGRES_PORT = 5432;
const STORAGE_PORT = 9000;
const many = '1000000/86400';
const STARTS_WITHIN_MS = 60_000;

export async function startCluster(network: Network, options: ClusterOptions): Promise<Cluster> {
  const place = (machine: string) => ({ host: network.addressOf(machine), prefix: network.prefixOf(machine) });
  await using opening = new AsyncDisposableStack();
  let parts: AsyncDisposableStack = opening;
  const opened = <Part extends { stop(): Promise<void> }>(part: Part): Part => parts.adopt(part, () => part.stop());
  const [postgres, storage] = await Promise.all([
    startPostgres({ ...place('postgres'), port: POSTGRES_PORT, fsync: true }).then(opened),
    startS3(options.keeps, { ...place('storage'), port: STORAGE_PORT }).then(opened),
  ]);
  const environment = {
    ...withoutAttemptLimits,
    ...storage.environment,
    DATABASE_URL: postgres.url,
    // Users reach all web machines under one URL; the trial has no proxy.
    PUBLIC_URL: 'http://chiffchaff.test',
    PORT: String(WEB_PORT),
    OPEN_PREDICTION: 'false',
    LOG_LEVEL: 'error',
    INFERENCE_WORKERS: '1',
    INFERENCE_QUEUE: '200',
    QUOTA_PER_ACCOUNT: many,
    QUOTA_PER_CLIENT: many,
    QUOTA_MEGABYTES_PER_ACCOUNT: many,
    QUOTA_MEGABYTES_PER_CLIENT: many,
    ...options.environment,
  };
  const machines: Record<'web' | 'worker', Machine[]> = { web: [], worker: [] };

  const numbers = { web: 0, worker: 0 };

  async function add(role: 'web' | 'worker', other: Partial<MachineOptions> = {}): Promise<Machine> {
    numbers[role] += 1;
    const name = `${role}${numbers[role]}`;
    const { host, prefix } = place(name);
    const machine = startMachine({
      name,
      origin: `http://${host}:${WEB_PORT}`,
      dataDir: await makeDataFolder(),
      ...other,
      prefix: [...prefix, ...(other.prefix ?? [])],
      environment: { ...environment, ROLE: role, HOST: host, ...other.environment },
    });
    machines[role].push(opened(machine));
    const late = delay(STARTS_WITHIN_MS, true, { ref: false });
    if (await Promise.race([machine.listening(), late])) throw new Error(`${name} does not start:\n${machine.written()}`);
    return machine;
  }

  // One at a time, because the first creates the tables.
  for (let web = 0; web < options.webs; web += 1) await add('web');
  await Promise.all(Array.from({ length: options.workers }, (_, index) => add('worker', options.worker?.(`worker${index + 1}`))));
  const held = opening.move();
  parts = held;
  return {
    postgres,
    storage,
    webs: machines.web,
    workers: machines.worker,
    add,
    async query<Row>(sql: string) {
      const client = new pg.Client({ connectionString: postgres.url });
      await client.connect();
      try {
        return (await client.query(sql)).rows as Row[];
      } finally {
        await client.end();
      }
    },
    stop: () => held.disposeAsync(),
  };
}
