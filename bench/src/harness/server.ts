import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseEnv } from 'node:util';
import { readConfig } from '@chiffchaff/cli';
import { modelFolderOf } from '@chiffchaff/models';
import { createPreparedPlaces } from '@chiffchaff/server/places/prepared-places';
import { dropTestDatabase } from '@chiffchaff/server/testing/test-database';
import { storesOf } from '@chiffchaff/server/testing/test-stores';

/** Folder of this version. */
export const thisCheckout = fileURLToPath(new URL('../../..', import.meta.url));

/** The folder of what this version has installed, as `DATA_DIR` says, and of its model. */
const { dataDir, modelId } = readConfig(process.env, thisCheckout);
export const installed = { dataDir, modelFolder: modelFolderOf(dataDir, modelId) };

/** A server started as by an operator, on a free port, with its own data folder. */
export interface StartedServer extends AsyncDisposable {
  readonly origin: string;
  readonly dataDir: string;
  /** process id of the server */
  readonly pid: number;
  /** Its output so far: its log and messages. */
  written(): string;
  /** Resolves when it has ended, for whatever reason. */
  readonly ended: Promise<void>;
  /** Kills it with SIGKILL, like a power cut; its data stays. */
  kill(): Promise<void>;
  /** Ends it with SIGTERM. Deletes its data folder unless `dataDir` was given. Disposing of the server does this, too. */
  stop(): Promise<void>;
}

export interface ServerOptions {
  /** A data folder that outlives the server; without it, the server gets a new one. */
  readonly dataDir?: string;
  /** What its settings file contains. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Called with the process as soon as it has been spawned. */
  readonly onSpawn?: (child: ChildProcess) => void;
  /** Makes the server lead a process group, which `kill` ends as a whole: the server and the decoders it has started. */
  readonly asGroup?: boolean;
  /** Folder of another checkout whose server to start, to compare versions; it must have been set up. */
  readonly checkout?: string;
  /** Another program to start instead of the server's; it must print the same line when it listens. */
  readonly program?: string;
}

/**
 * Creates a data folder that contains only links to the model, decoder and place index that a checkout has installed. Builds the index there
 * first if it is missing; otherwise each server would spend nine seconds of processor time on its own.
 */
export async function makeDataFolder(checkout = thisCheckout): Promise<string> {
  // Another version may only be able to read what it has installed itself.
  const installedIn = checkout === thisCheckout ? installed.dataDir : join(checkout, 'data');
  const places = createPreparedPlaces(join(installedIn, 'cache'));
  await places.prepare();
  await places.close();
  const dataDir = await mkdtemp(join(tmpdir(), 'chiffchaff-e2e-'));
  for (const shared of ['models', 'ffmpeg', 'cache']) {
    const path = join(installedIn, shared);
    if (existsSync(path)) await symlink(path, join(dataDir, shared));
  }
  return dataDir;
}

/** A data folder that is deleted when its user is done. */
export async function makeOwnDataFolder(checkout?: string): Promise<{ readonly path: string } & AsyncDisposable> {
  const path = await makeDataFolder(checkout);
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

/** The memory settings that all our servers are started with. */
export function memorySettings(checkout = thisCheckout): Record<string, string | undefined> {
  return parseEnv(readFileSync(join(checkout, 'deploy/memory.env'), 'utf8'));
}

/** @throws Error with the server's output, when it ends before it listens */
export async function startServer(
  environment: Readonly<Record<string, string>> = {},
  options: ServerOptions = {},
): Promise<StartedServer> {
  const checkout = options.checkout ?? thisCheckout;
  const dataDir = options.dataDir ?? (await makeDataFolder(checkout));
  const settingsFile = join(dataDir, 'settings.json');
  if (options.settings) await writeFile(settingsFile, JSON.stringify(options.settings));
  const program = options.program ?? join(checkout, 'apps/server/src/main.ts');
  const child = spawn(process.execPath, [program], {
    env: {
      ...memorySettings(checkout),
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      FFMPEG_PATH: process.env.FFMPEG_PATH,
      PORT: '0',
      DATA_DIR: dataDir,
      OPEN_PREDICTION: 'true',
      SETTINGS_FILE: options.settings && settingsFile,
      ...(await storesOf(dataDir)),
      ...environment,
    },
    // With a channel, the server ends with this process, however that ends.
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    detached: options.asGroup === true,
  });
  if (options.asGroup) {
    // A process group does not end with the process that started it.
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
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
    void ended.then(() => reject(new Error(`The server ended before it listened:\n${written}`)));
  });
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (options.asGroup && signal === 'SIGKILL') killGroup(child);
    else child.kill(signal);
    await ended;
  };
  const stop = async (): Promise<void> => {
    await end('SIGTERM');
    if (options.dataDir !== undefined) return;
    await dropTestDatabase(dataDir);
    await rm(dataDir, { recursive: true, force: true });
  };
  return {
    origin,
    dataDir,
    pid: child.pid ?? 0,
    written: () => written,
    ended,
    kill: () => end('SIGKILL'),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** Kills the leader of a process group and all its descendants with SIGKILL. Does nothing if all have ended. */
export function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
