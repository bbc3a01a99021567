import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.ts';

/** Where Debian installs the programs of PostgreSQL 15. */
const PROGRAMS = '/usr/lib/postgresql/15/bin';
const READY = 'database system is ready to accept connections';
/** Error at a start after a kill, until the last process of the killed server has ended. */
const STILL_IN_USE = 'is still in use';
const TRIES = 50;
const TRY_EVERY_MS = 100;

export interface StartPostgresOptions {
  /** Whether commits survive a power cut, as in production; slower. */
  readonly fsync?: boolean;
}

export interface TestPostgres {
  /** of its database `postgres`, with all rights */
  readonly url: string;
  /** process ids of the running server */
  processes(): readonly number[];
  /** Ends every connection, then the server. Its folder stays until `stop`. */
  halt(): Promise<void>;
  /** kill -9 of all its processes. */
  kill(): Promise<void>;
  /** Starts it again after `halt` or `kill`, or restarts a running one. */
  restart(): Promise<void>;
  /** Suspends all its processes: connections stay open, and nothing answers. */
  pause(): void;
  resume(): void;
  /** Stops it and deletes its folder. */
  stop(): Promise<void>;
}

/** Whether `startPostgres` can work here. */
export const isPostgresInstalled = (): boolean => existsSync(join(PROGRAMS, 'postgres'));

/** Starts a throw-away PostgreSQL server with an empty cluster in its own folder. Any client that reaches its port has all rights. */
export async function startPostgres({ fsync = false }: StartPostgresOptions = {}): Promise<TestPostgres> {
  const host = '127.0.0.1';
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
  const port = await freePort(host);
  const settings = {
    listen_addresses: host,
    port,
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
  const change = user === null ? [] : ['setpriv', `--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups'];
  const command = [...change, join(PROGRAMS, 'postgres'), '-D', data];
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
    // The server's children notice its end themselves, unless they are suspended.
    const processes = signal === 'SIGKILL' ? processesOf(data) : [child.pid ?? 0];
    for (const pid of processes) signalIfThere(pid, signal);
    await ended;
  }

  function signalAll(signal: 'SIGSTOP' | 'SIGCONT' | 'SIGKILL'): void {
    // The PID file of a killed server stays, and its PID may be another program's by now.
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
    url: `postgres://postgres@${host}:${port}/postgres`,
    processes: () => processesOf(data),
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

/** PostgreSQL refuses to run as root. @returns null for the user of this process */
function serverUser(): { readonly uid: number; readonly gid: number } | null {
  if (process.getuid?.() !== 0) return null;
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((entry) => entry.startsWith('postgres:'));
  const [, , uid, gid] = line?.split(':') ?? [];
  if (uid === undefined || gid === undefined) throw new Error('There is no user "postgres" to run PostgreSQL as');
  return { uid: Number(uid), gid: Number(gid) };
}

/** Resolves once it accepts connections, or has ended. */
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
  // The child must neither block on unread output nor keep this process from ending.
  child.stderr?.removeAllListeners('data').resume();
  child.unref();
  return { child, output };
}

/** PIDs of the server and its children. The server comes first, so that it cannot start further ones. */
function processesOf(data: string): number[] {
  const stateFile = join(data, 'postmaster.pid');
  if (!existsSync(stateFile)) return [];
  const server = Number(readFileSync(stateFile, 'utf8').split('\n')[0]);
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && parentOf(name) === server)
    .map(Number);
  return [server, ...children];
}

/** @returns null for a process that has ended meanwhile */
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
    // The process has ended.
  }
}
