import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseEnv } from 'node:util';
import { createPreparedPlaces } from '@chiffchaff/server/places/prepared-places';
import { dropTestDatabase } from '@chiffchaff/server/testing/test-database';
import { storesOf } from '@chiffchaff/server/testing/test-stores';

const thisCheckout = fileURLToPath(new URL('../../..', import.meta.url));

/** A server as an operator starts it, on a free port, with a data folder of its own. */
export { storesOf };

export interface StartedServer {
  readonly origin: string;
  readonly dataDir: string;
  /** of the server's process */
  readonly pid: number;
  /** What it has written so far: its log, and lines for people. */
  written(): string;
  /** Settles when it has ended, whatever the reason. */
  readonly ended: Promise<void>;
  /** Kills it without a word, as a power cut would; its data stays. */
  kill(): Promise<void>;
  /** Asks it to end. Its data goes with it unless it was named at the start. */
  stop(): Promise<void>;
}

export interface ServerOptions {
  /** A data folder that outlives the server; without one it gets a new one. */
  readonly dataDir?: string;
  /** Told of the process as soon as there is one. */
  readonly onSpawn?: (child: ChildProcess) => void;
  /** The server leads a group of processes, and `kill` ends all of it at once: the server and the decoders that it has started. */
  readonly asGroup?: boolean;
  /** Folder of another checkout whose server is started, to compare versions; it must have been set up. */
  readonly checkout?: string;
  /** Another program in the place of the server's, that says in the same way that it listens. */
  readonly program?: string;
  /** Words before the command, for example to run it on another machine. */
  readonly prefix?: readonly string[];
}

/**
 * A data folder of its own with the model, decoder and place index that are installed in another, and nothing else. The index is written
 * there first when it is missing: otherwise each server would spend nine seconds of a processor on one of its own.
 */
export async function makeDataFolder(installedIn = join(thisCheckout, 'data')): Promise<string> {
  const places = createPreparedPlaces(join(installedIn, 'cache'));
  await places.prepare();
  await places.close();
  const dataDir = await mkdtemp(join(tmpdir(), 'chiffchaff-e2e-'));
  for (const shared of ['models', 'ffmpeg', 'cache']) {
    const installed = join(installedIn, shared);
    if (existsSync(installed)) await symlink(installed, join(dataDir, shared));
  }
  return dataDir;
}

/** Why stories with a real server cannot be told here, or null. The model and the page are installed by `npm test` beforehand. */
export function whyNoServer(): string | null {
  if (!existsSync(join(thisCheckout, 'apps/web/dist/index.html'))) return 'the page is not built (npm run build)';
  if (!existsSync(join(thisCheckout, 'data/models'))) return 'the model is not installed (npm run model -- install)';
  return null;
}

/** The environment that our servers are started with wherever we start them. */
export function memorySettings(checkout = thisCheckout): Record<string, string | undefined> {
  return parseEnv(readFileSync(join(checkout, 'deploy/memory.env'), 'utf8'));
}

/** @throws Error with what the server wrote, when it ends before it listens */
export async function startServer(
  environment: Readonly<Record<string, string>> = {},
  options: ServerOptions = {},
): Promise<StartedServer> {
  const checkout = options.checkout ?? thisCheckout;
  // Another version may read only what it has installed itself.
  const dataDir = options.dataDir ?? (await makeDataFolder(join(checkout, 'data')));
  const program = options.program ?? join(checkout, 'apps/server/src/main.ts');
  const [command = '', ...words] = [...(options.prefix ?? []), process.execPath, program];
  const child = spawn(command, words, {
    env: {
      ...memorySettings(checkout),
      PATH: process.env.PATH,
      FFMPEG_PATH: process.env.FFMPEG_PATH,
      PORT: '0',
      DATA_DIR: dataDir,
      OPEN_PREDICTION: 'true',
      ...(await storesOf(dataDir)),
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: options.asGroup === true,
  });
  if (options.asGroup) {
    // A group of processes is not told when the process that started it ends.
    const end = (): void => killGroup(child);
    process.once('exit', end);
    child.once('close', () => process.off('exit', end));
  }
  options.onSpawn?.(child);
  let written = '';
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const origin = await new Promise<string>((resolve, reject) => {
    const read = (chunk: Buffer) => {
      written += chunk.toString();
      const found = /Chiffchaff is listening on (\S+)/.exec(written)?.[1];
      if (found !== undefined) resolve(new URL(found).origin);
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    void ended.then(() => reject(new Error(`The server ended before it listened:\n${written}`)));
  });
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (options.asGroup && signal === 'SIGKILL') killGroup(child);
    else child.kill(signal);
    await ended;
  };
  return {
    origin,
    dataDir,
    pid: child.pid ?? 0,
    written: () => written,
    ended,
    kill: () => end('SIGKILL'),
    async stop() {
      await end('SIGTERM');
      if (options.dataDir !== undefined) return;
      await dropTestDatabase(dataDir);
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** Kills a process that leads a group, and everything that it has started, without a word. Does nothing when all have ended. */
export function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
