import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Where Debian has the programs of PostgreSQL 15. */
const PROGRAMS = '/usr/lib/postgresql/15/bin';
const READY = 'database system is ready to accept connections';
/** Left by a server that was killed, until the last of its processes has noticed. */
const STILL_IN_USE = 'is still in use';
const TRIES = 50;
const TRY_EVERY_MS = 100;

export interface StartPostgresOptions {
  /** to listen at; other machines of a trial reach it there */
  readonly host?: string;
  /** a free one otherwise */
  readonly port?: number;
  /** Whether what is committed survives a power cut: slower, and how it runs in production. */
  readonly fsync?: boolean;
  /** Words before the command, for example to run it in a network namespace. */
  readonly prefix?: readonly string[];
}

export interface TestPostgres {
  /** of its database `postgres`, with all rights */
  readonly url: string;
  /** Ends every connection, then the server. Its folder stays until `stop`. */
  halt(): Promise<void>;
  /** kill -9 of all its processes. */
  kill(): Promise<void>;
  /** Starts it again after `halt` or `kill`, or ends and starts one that runs. */
  restart(): Promise<void>;
  /** Stops all its processes where they are: connections stay open, and nothing answers. */
  pause(): void;
  resume(): void;
  /** Ends it, and removes its folder. */
  stop(): Promise<void>;
}

/** Whether `startPostgres` can work here. */
export const isPostgresInstalled = (): boolean => existsSync(join(PROGRAMS, 'postgres'));

/** Starts a throw-away PostgreSQL server with an empty cluster in a folder of its own. Any client that reaches its port may do everything. */
export async function startPostgres({
  host = '127.0.0.1',
  port,
  fsync = false,
  prefix = [],
}: StartPostgresOptions = {}): Promise<TestPostgres> {
  const user = serverUser();
  const folder = mkdtempSync(join(tmpdir(), 'chiffchaff-postgres-'));
  const data = join(folder, 'data');
  if (user !== null) chownSync(folder, user.uid, user.gid);
  chmodSync(folder, 0o700);
  const asServer = { cwd: folder, ...user };
  execFileSync(
    join(PROGRAMS, 'initdb'),
    ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8', '--no-sync'],
    {
      ...asServer,
      stdio: 'ignore',
    },
  );
  writeFileSync(join(data, 'pg_hba.conf'), 'host all all all trust\n');
  const chosenPort = port ?? (await freePort(host));
  const settings = {
    listen_addresses: host,
    port: chosenPort,
    unix_socket_directories: '',
    max_connections: 300,
    fsync: fsync ? 'on' : 'off',
    synchronous_commit: fsync ? 'on' : 'off',
    full_page_writes: fsync ? 'on' : 'off',
  };
  writeFileSync(
    join(data, 'postgresql.conf'),
    Object.entries(settings)
      .map(([name, value]) => `${name} = '${value}'\n`)
      .join(''),
  );
  // The prefix may need the rights of this process, so the user changes after it.
  const change = user === null ? [] : ['setpriv', `--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups'];
  const command = [...prefix, ...change, join(PROGRAMS, 'postgres'), '-D', data];
  let running: ChildProcess | null = null;

  async function start(): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      const { child, output } = await launch(command, folder);
      if (child.exitCode === null) {
        running = child;
        return;
      }
      if (attempt === TRIES || !output.includes(STILL_IN_USE)) throw new Error(`PostgreSQL did not start: ${output}`);
      await new Promise((resolve) => setTimeout(resolve, TRY_EVERY_MS));
    }
  }

  async function end(signal: 'SIGINT' | 'SIGKILL'): Promise<void> {
    const child = running;
    if (child === null) return;
    running = null;
    child.ref();
    const ended = once(child, 'exit');
    // Its own children notice by themselves that it is gone, unless they are stopped.
    const processes = signal === 'SIGKILL' ? processesOf(data) : [child.pid ?? 0];
    for (const pid of processes) signalIfThere(pid, signal);
    await ended;
  }

  function signalAll(signal: 'SIGSTOP' | 'SIGCONT' | 'SIGKILL'): void {
    // The file of one that was killed stays, and its number may be another program's by now.
    if (running === null) return;
    for (const pid of processesOf(data)) signalIfThere(pid, signal);
  }

  const endWithThisProcess = (): void => {
    signalAll('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  };
  process.once('exit', endWithThisProcess);
  await start();
  return {
    url: `postgres://postgres@${host}:${chosenPort}/postgres`,
    halt: () => end('SIGINT'),
    kill: () => end('SIGKILL'),
    async restart() {
      await end('SIGINT');
      await start();
    },
    pause: () => signalAll('SIGSTOP'),
    resume: () => signalAll('SIGCONT'),
    async stop() {
      signalAll('SIGCONT');
      await end('SIGINT');
      process.off('exit', endWithThisProcess);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** PostgreSQL refuses to run as root. @returns null: as the user that this process has */
function serverUser(): { readonly uid: number; readonly gid: number } | null {
  if (process.getuid?.() !== 0) return null;
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((entry) => entry.startsWith('postgres:'));
  const [, , uid, gid] = line?.split(':') ?? [];
  if (uid === undefined || gid === undefined) throw new Error('There is no user "postgres" to run PostgreSQL as');
  return { uid: Number(uid), gid: Number(gid) };
}

/** @returns once it accepts connections, or has ended */
async function launch(
  command: readonly string[],
  folder: string,
): Promise<{ readonly child: ChildProcess; readonly output: string }> {
  const [program = '', ...words] = command;
  const child = spawn(program, words, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
  let output = '';
  await new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', () => resolve());
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      output = `${output}${text}`.slice(-10_000);
      if (output.includes(READY)) resolve();
    });
  });
  // It must neither wait for a reader nor keep this process from ending.
  child.stderr?.removeAllListeners('data').resume();
  child.unref();
  return { child, output };
}

/** The server and its children, the server first: it can start no further ones then. */
function processesOf(data: string): number[] {
  const stateFile = join(data, 'postmaster.pid');
  if (!existsSync(stateFile)) return [];
  const server = Number(readFileSync(stateFile, 'utf8').split('\n')[0]);
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && parentOf(name) === server)
    .map(Number);
  return [server, ...children];
}

/** @returns null for one that has ended meanwhile */
function parentOf(pid: string): number | null {
  try {
    return Number(/^PPid:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
  } catch {
    return null;
  }
}

function signalIfThere(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended.
  }
}

async function freePort(host: string): Promise<number> {
  const server = createServer().listen(0, host);
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('No port is free');
  return address.port;
}
