import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '@chiffchaff/server/testing/free-port';
import { startPostgres, type TestPostgres } from '@chiffchaff/server/testing/start-postgres';
import { createFolders, STORAGE_FOLDERS, startS3, type TestS3 } from '@chiffchaff/server/testing/start-s3';
import pg from 'pg';
import { withoutAttemptLimits } from '../../harness/accounts.ts';
import { makeDataFolder } from '../../harness/server.ts';
import { type Line, openLine } from './line.ts';
import { type Machine, type MachineOptions, startMachine } from './machine.ts';

/** A line between two machines; people are `people`. */
export interface NamedLine extends Line {
  readonly from: string;
  readonly to: string;
}

/** Web and worker machines that share one database and one storage. */
export interface Cluster {
  readonly postgres: TestPostgres;
  readonly storage: TestS3;
  readonly webs: readonly Machine[];
  readonly workers: readonly Machine[];
  /** empty if machines are connected without them */
  readonly lines: readonly NamedLine[];
  /** Adds a machine. @returns when it listens */
  add(role: 'web' | 'worker', options?: Partial<MachineOptions>): Promise<Machine>;
  /** Queries the database directly. */
  query<Row>(sql: string): Promise<readonly Row[]>;
  stop(): Promise<void>;
}

export interface ClusterOptions {
  readonly webs: number;
  readonly workers: number;
  /** Connects machines by lines that can fail, instead of directly. */
  readonly hasLines?: true;
  readonly environment?: Readonly<Record<string, string>>;
  /** Options of a single worker. */
  readonly worker?: (name: string) => Partial<MachineOptions>;
}

const HOST = '127.0.0.1';
const many = '1000000/86400';
const STARTS_WITHIN_MS = 60_000;

export async function startCluster(options: ClusterOptions): Promise<Cluster> {
  await using opening = new AsyncDisposableStack();
  let parts: AsyncDisposableStack = opening;
  const opened = <Part extends { stop(): Promise<void> }>(part: Part): Part => parts.adopt(part, () => part.stop());
  const [postgres, storage] = await Promise.all([startPostgres({ fsync: true }).then(opened), startS3().then(opened)]);
  await createFolders(storage.endpoint, STORAGE_FOLDERS);
  const environment = {
    ...withoutAttemptLimits,
    ...storage.environment,
    // Users reach all web machines under one URL; the trial has no proxy.
    PUBLIC_URL: 'http://chiffchaff.test',
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
  const lines: NamedLine[] = [];

  /** The same address, reached through a line of its own, if there are lines. */
  async function lineTo(address: string, from: string, to: string): Promise<string> {
    if (!options.hasLines) return address;
    const url = new URL(address);
    const line = await openLine(Number(url.port));
    lines.push({ ...line, from, to });
    url.port = String(line.port);
    return url.href.replace(/\/$/, '');
  }

  async function add(role: 'web' | 'worker', other: Partial<MachineOptions> = {}): Promise<Machine> {
    numbers[role] += 1;
    const name = `${role}${numbers[role]}`;
    const port = await freePort(HOST);
    const machine = startMachine({
      name,
      origin: await lineTo(`http://${HOST}:${port}`, 'people', name),
      dataDir: await makeDataFolder(),
      ...other,
      environment: {
        ...environment,
        DATABASE_URL: await lineTo(postgres.url, name, 'PostgreSQL'),
        S3_ENDPOINT: await lineTo(storage.endpoint, name, 'storage'),
        ROLE: role,
        HOST,
        PORT: String(port),
        ...other.environment,
      },
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
    lines,
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
    async stop() {
      for (const line of lines) line.close();
      await held.disposeAsync();
    },
  };
}
