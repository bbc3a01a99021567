/**
 * The Firebase Auth emulator: `tools/test.ts` installs it, and vitest starts it before the tests of the project `emulator` and stops it
 * afterwards. It contacts only npm's registry: the project is one of the emulator's `demo-` projects, which do not exist at Google, and
 * its settings folder is new and contains no sign-in.
 */
import { execFile, spawn } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '@chiffchaff/server/testing/free-port';
import type { TestProject } from 'vitest/node';

const VERSION = '15.34.2';
const PROJECT_ID = 'demo-chiffchaff';
const installed = join(import.meta.dirname, '../../.cache', `firebase-tools-${VERSION}`);
const program = join(installed, 'node_modules', 'firebase-tools');

/**
 * Downloads the emulator (240 MB), unless it is installed. Installs aside and then renames, so that an interrupted installation is not
 * mistaken for a complete one. Runs no install scripts.
 */
export async function installEmulator(): Promise<void> {
  if (existsSync(installed)) return;
  process.stdout.write(`· Downloading firebase-tools ${VERSION} to .cache/ (once, about 30 s)\n`);
  const aside = `${installed}.${process.pid}`;
  mkdirSync(aside, { recursive: true });
  try {
    writeFileSync(join(aside, 'package.json'), '{"private":true}');
    const flags = ['--loglevel=error', '--ignore-scripts', '--no-save', '--omit=optional', '--no-audit', '--no-fund'];
    // Three attempts for each file, as for the toolchain; a stalled one times out sooner than npm's default.
    const retries = ['--fetch-retries=2', '--fetch-retry-mintimeout=2000', '--fetch-retry-factor=4', '--fetch-timeout=60000'];
    const words = ['install', '--prefix', aside, ...flags, ...retries, `firebase-tools@${VERSION}`];
    await promisify(execFile)('npm', words);
    renameSync(aside, installed);
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
}

declare module 'vitest' {
  interface ProvidedContext {
    /** `host:port` of the Firebase Auth emulator and the project to use there. */
    readonly emulator: { readonly host: string; readonly project: string };
  }
}

/** Starts the emulator for the tests of a project. @returns what stops it */
export async function setup({ provide }: Pick<TestProject, 'provide'>): Promise<() => Promise<void>> {
  const [port, hub, logging] = await Promise.all([freePort('127.0.0.1'), freePort('127.0.0.1'), freePort('127.0.0.1')]);
  const at = (number: number) => ({ host: '127.0.0.1', port: number });
  const folder = await mkdtemp(join(tmpdir(), 'chiffchaff-emulator-'));
  const emulators = { singleProjectMode: true, auth: at(port), hub: at(hub), logging: at(logging), ui: { enabled: false } };
  writeFileSync(join(folder, 'firebase.json'), JSON.stringify({ emulators }));
  const script = join(program, 'lib', 'bin', 'firebase.js');
  const child = spawn(process.execPath, [script, 'emulators:start', '--only', 'auth', '--project', PROJECT_ID], {
    cwd: folder,
    // CI keeps it from fetching its message of the day; in the folders it stores settings and sign-ins.
    env: { PATH: process.env.PATH, HOME: folder, XDG_CONFIG_HOME: folder, CI: 'true', NO_UPDATE_NOTIFIER: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  let written = '';
  await new Promise<void>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => {
        written += String(chunk);
        if (written.includes('All emulators ready')) resolve();
      });
    child.once('error', reject);
    void ended.then(() => reject(new Error(`The emulator did not start:\n${written.trimEnd()}`)));
  });
  provide('emulator', { host: `127.0.0.1:${port}`, project: PROJECT_ID });
  return async () => {
    child.kill('SIGINT');
    await ended;
    await rm(folder, { recursive: true, force: true });
  };
}
