import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CreateBucketCommand, paginateListObjectsV2, S3Client } from '@aws-sdk/client-s3';

/** `memory`: moto, which starts quickly and forgets everything when it is killed · `disk`: OpenStack Swift with its S3 interface, slower */
export type S3Keeps = 'memory' | 'disk';

export interface StartS3Options {
  /** to listen on; other machines of a trial use it */
  readonly host?: string;
  /** a free one by default; Swift uses the next three as well */
  readonly port?: number;
  /** Words before each command, for example to run it in a network namespace. */
  readonly prefix?: readonly string[];
}

export interface TestS3 {
  readonly endpoint: string;
  /** of its bucket, which exists and is empty at first */
  readonly url: string;
  /** Environment variables for a server that uses it. */
  readonly environment: Readonly<Record<string, string>>;
  /** kill -9 of all its processes. */
  kill(): Promise<void>;
  /** Starts it again after `kill`, or restarts a running one. */
  restart(): Promise<void>;
  /** Suspends all its processes: connections stay open, and nothing answers. */
  pause(): void;
  resume(): void;
  /** Names of all objects, in order. */
  list(): Promise<readonly string[]>;
  /** Stops it and deletes its folder. */
  stop(): Promise<void>;
}

const BUCKET = 'chiffchaff';
const REGION = 'us-east-1';
/** For Swift's user below; moto accepts any. */
const CREDENTIALS = { accessKeyId: 'trial:engine', secretAccessKey: 'only-for-tests' };
const READY_WITHIN_MS = 30_000;
const LOOK_EVERY_MS = 100;
/** Where `tools/engines.ts` installs moto, if it is not on the search path. */
export const MOTO_FOLDER = join(import.meta.dirname, '../../../../data/tools/moto');
const SWIFT_PARTS = ['object', 'container', 'account', 'proxy'] as const;

/** @returns null when moto is not installed */
function findMoto(): string | null {
  const folders = [join(MOTO_FOLDER, 'bin'), ...(process.env.PATH ?? '').split(delimiter)];
  return folders.map((folder) => join(folder, 'moto_server')).find((path) => existsSync(path)) ?? null;
}

/** Whether `startS3` can work here. */
export const isS3Installed = (keeps: S3Keeps): boolean =>
  keeps === 'memory'
    ? findMoto() !== null
    : SWIFT_PARTS.every((part) => existsSync(`/usr/bin/swift-${part}-server`)) && existsSync('/usr/bin/swift-ring-builder');

/** Starts a throw-away S3 server with one empty bucket. */
export async function startS3(keeps: S3Keeps, options: StartS3Options = {}): Promise<TestS3> {
  const { host = '127.0.0.1', prefix = [] } = options;
  const folder = mkdtempSync(join(tmpdir(), 'chiffchaff-s3-'));
  const port = options.port ?? (await freePorts(host));
  const commands = keeps === 'memory' ? motoCommands(host, port) : swiftCommands(host, port, folder);
  const endpoint = `http://${host}:${port}`;
  let running: ChildProcess[] = [];

  function launch({ command }: Command, index: number): ChildProcess {
    const [program = '', ...words] = [...prefix, ...command];
    const log = openSync(join(folder, `${index}.log`), 'a');
    const child = spawn(program, words, { cwd: folder, stdio: ['ignore', log, log] });
    child.unref();
    return child;
  }

  /** Starts the last server, the proxy, once the others are up: otherwise it would report that they are empty. */
  async function start(): Promise<void> {
    try {
      for (const some of [commands.slice(0, -1), commands.slice(-1)]) {
        running.push(...some.map((command) => launch(command, commands.indexOf(command))));
        await Promise.all(some.map(({ answersAt }) => whenAnswered(answersAt)));
      }
      await createBucket(endpoint);
    } catch (error) {
      const logs = commands.map((_, index) => readFileSync(join(folder, `${index}.log`), 'utf8').slice(-1000));
      throw new Error(`The S3 server did not start:\n${logs.join('\n')}`, { cause: error });
    }
  }

  const signalAll = (signal: NodeJS.Signals): void => {
    for (const child of running) child.kill(signal);
  };

  async function kill(): Promise<void> {
    const children = running.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null);
    running = [];
    const ended = children.map((child) => once(child, 'exit'));
    for (const child of children) {
      child.ref();
      child.kill('SIGKILL');
    }
    await Promise.all(ended);
  }

  const endWithThisProcess = (): void => {
    signalAll('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  };
  process.once('exit', endWithThisProcess);
  await start();
  return {
    endpoint,
    url: `s3://${BUCKET}`,
    environment: {
      STORAGE_URL: `s3://${BUCKET}`,
      S3_ENDPOINT: endpoint,
      S3_REGION: REGION,
      AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
      AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
    },
    kill,
    async restart() {
      await kill();
      await start();
    },
    pause: () => signalAll('SIGSTOP'),
    resume: () => signalAll('SIGCONT'),
    list: () => withClient(endpoint, listNames),
    async stop() {
      await kill();
      process.off('exit', endWithThisProcess);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

interface Command {
  readonly command: readonly string[];
  /** A URL that gives any response once it is up. */
  readonly answersAt: string;
}

function motoCommands(host: string, port: number): Command[] {
  const program = findMoto();
  if (program === null) throw new Error('moto_server is not installed');
  return [{ command: [program, '-H', host, '-p', String(port)], answersAt: `http://${host}:${port}/moto-api/` }];
}

/** A complete Swift with one disk, which is a folder: four servers, each one process. */
function swiftCommands(host: string, port: number, folder: string): Command[] {
  const settings = join(folder, 'swift');
  const devices = join(folder, 'devices');
  mkdirSync(join(devices, 'disk'), { recursive: true });
  mkdirSync(settings);
  const write = (name: string, text: string): void => writeFileSync(join(settings, name), text);
  const common = (ownPort: number): string =>
    `[DEFAULT]\nbind_ip = ${host}\nbind_port = ${ownPort}\nuser = ${process.env.USER ?? 'root'}\nswift_dir = ${settings}\nworkers = 0\nlog_level = WARNING\n`;
  write(
    'swift.conf',
    '[swift-hash]\nswift_hash_path_suffix = trial\nswift_hash_path_prefix = trial\n[storage-policy:0]\nname = only\ndefault = yes\n',
  );
  return SWIFT_PARTS.map((part, index) => {
    const ownPort = part === 'proxy' ? port : port + 1 + index;
    if (part === 'proxy') write('proxy.conf', `${common(ownPort)}${PROXY}`);
    else {
      const build = (...words: string[]): void =>
        void execFileSync('/usr/bin/swift-ring-builder', [`${part}.builder`, ...words], { cwd: settings, stdio: 'ignore' });
      build('create', '4', '1', '1');
      build('add', `r1z1-${host}:${ownPort}/disk`, '1');
      build('rebalance');
      const own = `devices = ${devices}\nmount_check = false\ndisable_fallocate = true\n`;
      write(
        `${part}.conf`,
        `${common(ownPort)}${own}[pipeline:main]\npipeline = ${part}-server\n[app:${part}-server]\nuse = egg:swift#${part}\n`,
      );
    }
    return {
      command: [`/usr/bin/swift-${part}-server`, join(settings, `${part}.conf`), '-v'],
      answersAt: `http://${host}:${ownPort}/`,
    };
  });
}

/** Swift insists on a configured cache, but works if there is none at its address. */
const PROXY = `[pipeline:main]
pipeline = catch_errors cache s3api tempauth copy slo dlo proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
error_suppression_limit = 1000000
[filter:catch_errors]
use = egg:swift#catch_errors
[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:1
[filter:s3api]
use = egg:swift#s3api
s3_acl = false
location = ${REGION}
auth_pipeline_check = false
[filter:tempauth]
use = egg:swift#tempauth
user_${CREDENTIALS.accessKeyId.replace(':', '_')} = ${CREDENTIALS.secretAccessKey} .admin
[filter:copy]
use = egg:swift#copy
[filter:slo]
use = egg:swift#slo
[filter:dlo]
use = egg:swift#dlo
`;

async function whenAnswered(address: string): Promise<void> {
  const givesUpAt = Date.now() + READY_WITHIN_MS;
  for (;;) {
    try {
      await (await fetch(address)).body?.cancel();
      return;
    } catch (error) {
      if (Date.now() > givesUpAt) throw new Error(`${address} does not answer`, { cause: error });
    }
    await sleep(LOOK_EVERY_MS);
  }
}

const createBucket = (endpoint: string): Promise<void> =>
  withClient(endpoint, async (client) => {
    await client.send(new CreateBucketCommand({ Bucket: BUCKET })).catch((error: unknown) => {
      if (!(error instanceof Error && error.name === 'BucketAlreadyOwnedByYou')) throw error;
    });
  });

async function listNames(client: S3Client): Promise<readonly string[]> {
  const names: string[] = [];
  for await (const { Contents = [] } of paginateListObjectsV2({ client }, { Bucket: BUCKET }))
    names.push(...Contents.flatMap(({ Key }) => Key ?? []));
  return names;
}

async function withClient<Result>(endpoint: string, act: (client: S3Client) => Promise<Result>): Promise<Result> {
  const client = new S3Client({ endpoint, region: REGION, credentials: CREDENTIALS, forcePathStyle: true });
  try {
    return await act(client);
  } finally {
    client.destroy();
  }
}

/** @returns the first of four consecutive free ports */
async function freePorts(host: string): Promise<number> {
  for (;;) {
    const first = await freePort(host, 0);
    const rest = await Promise.all([1, 2, 3].map((step) => freePort(host, first + step).catch(() => null)));
    if (!rest.includes(null)) return first;
  }
}

function freePort(host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(port, host, () => {
      const address = server.address();
      server.close(() =>
        typeof address === 'object' && address !== null ? resolve(address.port) : reject(new Error('no port')),
      );
    });
  });
}
