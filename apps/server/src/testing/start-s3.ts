import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CreateBucketCommand, PutObjectCommand, paginateListObjectsV2, S3Client } from '@aws-sdk/client-s3';
import { freePort } from './free-port.ts';

export interface TestS3 {
  readonly endpoint: string;
  /** of its bucket, which exists and is empty at first */
  readonly url: string;
  /** process id of the running server */
  readonly pid: number;
  /** Environment variables for a server that uses it. */
  readonly environment: Readonly<Record<string, string>>;
  /** kill -9. What it has acknowledged stays. */
  kill(): Promise<void>;
  /** Starts it again after `kill`, or restarts a running one. */
  restart(): Promise<void>;
  /** Suspends it: connections stay open, and nothing answers. */
  pause(): void;
  resume(): void;
  /** Names of all objects except those that stand for folders, in order. */
  list(): Promise<readonly string[]>;
  /** Stops it and deletes its folder. */
  stop(): Promise<void>;
}

const BUCKET = 'chiffchaff';
const REGION = 'us-east-1';
export const S3_CREDENTIALS = { accessKeyId: 'tests', secretAccessKey: 'only-for-tests' };
const READY_WITHIN_MS = 30_000;
const LOOK_EVERY_MS = 50;
/** Where `install-s3.ts` installs JuiceFS, if it is not on the search path. */
export const JUICEFS_FOLDER = join(import.meta.dirname, '../../../../data/tools/juicefs');

/** @returns null when JuiceFS is not installed */
function findJuicefs(): string | null {
  const folders = [JUICEFS_FOLDER, ...(process.env.PATH ?? '').split(delimiter)];
  return folders.map((folder) => join(folder, 'juicefs')).find((path) => existsSync(path)) ?? null;
}

/** Whether `startS3` can work here. */
export const isS3Installed = (): boolean => findJuicefs() !== null;

/**
 * Starts a throw-away S3 server with one empty bucket: JuiceFS's gateway over a folder and a SQLite file. It ignores conditions such as
 * `If-None-Match`.
 */
export async function startS3(): Promise<TestS3> {
  const juicefs = findJuicefs();
  if (juicefs === null) throw new Error('juicefs is not installed');
  const host = '127.0.0.1';
  const [port, metricsPort] = [await freePort(host), await freePort(host)];
  const folder = mkdtempSync(join(tmpdir(), 'chiffchaff-s3-'));
  const rows = `sqlite3://${join(folder, 'rows.db')}`;
  const logPath = join(folder, 'log');
  const endpoint = `http://${host}:${port}`;
  const log = openSync(logPath, 'a');
  const bucket = ['--storage', 'file', '--bucket', `${join(folder, 'objects')}/`];
  execFileSync(juicefs, ['format', '--no-update', ...bucket, rows, BUCKET], { cwd: folder, stdio: ['ignore', log, log] });
  const words = [
    'gateway',
    '--no-usage-report',
    '--no-banner',
    '--multi-buckets',
    '--keep-etag',
    '--object-meta',
    '--hide-dir-object',
  ];
  words.push('--cache-dir', join(folder, 'cache'), '--metrics', `${host}:${metricsPort}`, rows, `${host}:${port}`);
  let running: ChildProcess | null = null;

  async function start(): Promise<void> {
    const child = spawn(juicefs ?? '', words, {
      cwd: folder,
      stdio: ['ignore', log, log],
      env: { ...process.env, MINIO_ROOT_USER: S3_CREDENTIALS.accessKeyId, MINIO_ROOT_PASSWORD: S3_CREDENTIALS.secretAccessKey },
    });
    child.unref();
    running = child;
    try {
      await createBucket(endpoint);
    } catch (error) {
      throw new Error(`The S3 server did not start:\n${readFileSync(logPath, 'utf8').slice(-2000)}`, { cause: error });
    }
  }

  async function kill(): Promise<void> {
    const child = running;
    running = null;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    child.ref();
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  const endWithThisProcess = (): void => {
    running?.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  };
  process.once('exit', endWithThisProcess);
  await start();
  return {
    endpoint,
    url: `s3://${BUCKET}`,
    get pid() {
      return running?.pid ?? 0;
    },
    environment: {
      STORAGE_URL: `s3://${BUCKET}`,
      S3_ENDPOINT: endpoint,
      S3_REGION: REGION,
      AWS_ACCESS_KEY_ID: S3_CREDENTIALS.accessKeyId,
      AWS_SECRET_ACCESS_KEY: S3_CREDENTIALS.secretAccessKey,
    },
    kill,
    async restart() {
      await kill();
      await start();
    },
    pause: () => void running?.kill('SIGSTOP'),
    resume: () => void running?.kill('SIGCONT'),
    list: () => withClient(endpoint, listObjects),
    async stop() {
      await kill();
      process.off('exit', endWithThisProcess);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Creates the bucket as soon as the server answers, unless it exists. */
async function createBucket(endpoint: string): Promise<void> {
  const givesUpAt = Date.now() + READY_WITHIN_MS;
  for (;;) {
    try {
      await withClient(endpoint, (client) => client.send(new CreateBucketCommand({ Bucket: BUCKET })));
      return;
    } catch (error) {
      if (error instanceof Error && error.name === 'BucketAlreadyOwnedByYou') return;
      if (Date.now() > givesUpAt) throw error;
    }
    await sleep(LOOK_EVERY_MS);
  }
}

/** Where servers store objects. */
export const STORAGE_FOLDERS = ['uploads/', 'audio/', 'resumable-uploads/'] as const;

/**
 * Creates folders of the bucket that stay when they are empty. Other folders are removed with their last object, and an object that is
 * stored in one at that moment is refused with NoSuchKey, unlike on other S3 servers.
 *
 * @param names each ends with a slash
 */
export async function createFolders(endpoint: string, names: readonly string[]): Promise<void> {
  await withClient(endpoint, (client) =>
    Promise.all(names.map((Key) => client.send(new PutObjectCommand({ Bucket: BUCKET, Key, Body: '', ContentLength: 0 })))),
  );
}

async function listObjects(client: S3Client): Promise<readonly string[]> {
  const objects: string[] = [];
  for await (const { Contents = [] } of paginateListObjectsV2({ client }, { Bucket: BUCKET }))
    objects.push(...Contents.flatMap(({ Key = '/' }) => (Key.endsWith('/') ? [] : [Key])));
  return objects;
}

async function withClient<Result>(endpoint: string, act: (client: S3Client) => Promise<Result>): Promise<Result> {
  const client = new S3Client({ endpoint, region: REGION, credentials: S3_CREDENTIALS, forcePathStyle: true, maxAttempts: 1 });
  try {
    return await act(client);
  } finally {
    client.destroy();
  }
}
