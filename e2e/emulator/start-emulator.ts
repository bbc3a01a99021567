/**
 * The Firebase Auth emulator: `tools/test.ts` installs it, and vitest runs it around the tests of the project `emulator`. It contacts only
 * npm's registry: the project is one of its `demo-` projects, which do not exist at Google, and its new settings folder has no sign-in.
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtempDisposable, rename, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '@chiffchaff/server/testing/free-port';
import type { TestProject } from 'vitest/node';

const VERSION = '15.34.2';
const PROJECT_ID = 'demo-chiffchaff';
const HOST = '127.0.0.1';
const installed = join(import.meta.dirname, '../../.cache', `firebase-tools-${VERSION}`);
/** Runs no install scripts. Three attempts for each file, as for the toolchain; a stalled one times out sooner than npm's default. */
const NPM_FLAGS =
  '--loglevel=error --ignore-scripts --no-save --omit=optional --no-audit --no-fund --fetch-retries=2 --fetch-retry-mintimeout=2000 --fetch-retry-factor=4 --fetch-timeout=60000';

/** Downloads the emulator (240 MB), unless it is installed; aside, so that an interrupted installation is not mistaken for a complete one. */
export async function installEmulator(): Promise<void> {
  if (existsSync(installed)) return;
  process.stdout.write(`· Downloading firebase-tools ${VERSION} to .cache/ (once, about 30 s)\n`);
  await mkdir(dirname(installed), { recursive: true });
  await using aside = await mkdtempDisposable(`${installed}.`);
  await writeFile(join(aside.path, 'package.json'), '{"private":true}');
  await promisify(execFile)('npm', ['install', '--prefix', aside.path, ...NPM_FLAGS.split(' '), `firebase-tools@${VERSION}`]);
  await rename(aside.path, installed);
}

declare module 'vitest' {
  interface ProvidedContext {
    /** `host:port` of the Firebase Auth emulator and the project to use there. */
    readonly emulator: { readonly host: string; readonly project: string };
  }
}

/** Starts the emulator for the tests of a project. @returns what stops it */
export async function setup({ provide }: Pick<TestProject, 'provide'>): Promise<() => Promise<void>> {
  const address = async () => ({ host: HOST, port: await freePort(HOST) });
  const [auth, hub, logging] = await Promise.all([address(), address(), address()]);
  const folder = await mkdtempDisposable(join(tmpdir(), 'chiffchaff-emulator-'));
  const emulators = { singleProjectMode: true, auth, hub, logging, ui: { enabled: false } };
  await writeFile(join(folder.path, 'firebase.json'), JSON.stringify({ emulators }));
  const program = join(installed, 'node_modules/firebase-tools/lib/bin/firebase.js');
  const child = spawn(process.execPath, [program, 'emulators:start', '--only', 'auth', '--project', PROJECT_ID], {
    cwd: folder.path,
    // CI keeps it from fetching its message of the day; in the folders it stores settings and sign-ins.
    env: { PATH: process.env.PATH, HOME: folder.path, XDG_CONFIG_HOME: folder.path, CI: 'true', NO_UPDATE_NOTIFIER: '1' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close');
  let written = '';
  await new Promise<void>((resolve, reject) => {
    child.stdout.on('data', (chunk) => {
      written += String(chunk);
      if (written.includes('All emulators ready')) resolve();
    });
    ended.then(() => reject(new Error(`The emulator did not start:\n${written.trimEnd()}`)), reject);
  });
  provide('emulator', { host: `${HOST}:${auth.port}`, project: PROJECT_ID });
  return async () => {
    child.kill('SIGINT');
    await ended;
    await folder.remove();
  };
}
