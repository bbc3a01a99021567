/**
 * `npm run test:emulator`: downloads and starts the Firebase Auth emulator and runs the tests against it. Continuous integration runs
 * it; `npm test` does not, because the emulator is a download of 240 MB.
 *
 * Ends with `emulator: N passed, N failed`. It contacts only npm's registry: the project is one of the emulator's `demo-` projects,
 * which do not exist at Google, and its settings folder is new and contains no sign-in.
 */

import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { root, runQuietly } from './process.ts';
import { runSuite } from './run-suite.ts';
import { runTests } from './run-tests.ts';
import { recordPart } from './test-record.ts';

const VERSION = '15.34.2';
const PROJECT_ID = 'demo-chiffchaff';
const installed = join(root, '.cache', 'firebase-tools');
const program = join(installed, 'node_modules', 'firebase-tools');
/** From starting the program to its first response; takes 8 s on two cores. */
const START_TIMEOUT_MS = 120_000;

function installedVersion(): string | null {
  const manifest = join(program, 'package.json');
  if (!existsSync(manifest)) return null;
  return z.object({ version: z.string() }).parse(JSON.parse(readFileSync(manifest, 'utf8'))).version;
}

/** Installs aside and then renames, so that an interrupted installation is not mistaken for a complete one. Runs no install scripts. */
async function install(): Promise<void> {
  if (installedVersion() === VERSION) return;
  process.stdout.write(`· Downloading firebase-tools ${VERSION} to .cache/ (once, about 30 s)\n`);
  const aside = `${installed}.${process.pid}`;
  mkdirSync(aside, { recursive: true });
  try {
    writeFileSync(join(aside, 'package.json'), '{"private":true}');
    const flags = ['--loglevel=error', '--ignore-scripts', '--no-save', '--omit=optional', '--no-audit', '--no-fund'];
    // Three attempts for each file, as for the toolchain; a stalled one times out sooner than npm's default.
    const retries = ['--fetch-retries=2', '--fetch-retry-mintimeout=2000', '--fetch-retry-factor=4', '--fetch-timeout=60000'];
    const words = ['install', '--prefix', aside, ...flags, ...retries, `firebase-tools@${VERSION}`];
    const { code, output } = await runQuietly('npm', words);
    if (code !== 0) throw new Error(`npm could not download firebase-tools ${VERSION}:\n${output.trimEnd()}`);
    rmSync(installed, { recursive: true, force: true });
    renameSync(aside, installed);
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
}

/** Ports that nothing listens on. Holds all of them at the same time, so that they differ. */
async function findFreePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer());
  const ports = await Promise.all(
    servers.map(
      (server) =>
        new Promise<number>((resolve, reject) => {
          server.once('error', reject);
          server.listen(0, '127.0.0.1', () => {
            const address = server.address();
            if (address !== null && typeof address === 'object') resolve(address.port);
          });
        }),
    ),
  );
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

interface StartedEmulator {
  /** `host:port`, as Google's libraries expect it in FIREBASE_AUTH_EMULATOR_HOST. */
  readonly host: string;
  stop(): Promise<void>;
}

async function startEmulator(): Promise<StartedEmulator> {
  const [port = 0, hub = 0, logging = 0] = await findFreePorts(3);
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
  let written = '';
  const collect = (chunk: Buffer) => {
    written += chunk.toString();
  };
  child.stdout.on('data', collect);
  child.stderr.on('data', collect);
  let over = false;
  const ended = new Promise<void>((resolve) => {
    const end = () => {
      over = true;
      resolve();
    };
    child.once('close', end);
    child.once('error', (error) => {
      written += String(error);
      end();
    });
  });
  // Ends the emulator however this process ends.
  const interrupt = () => void (over || child.kill('SIGINT'));
  process.once('exit', interrupt);
  process.once('SIGTERM', () => process.exit(143));
  const stop = async () => {
    interrupt();
    await ended;
    await rm(folder, { recursive: true, force: true });
  };

  const host = `127.0.0.1:${port}`;
  const deadline = Date.now() + START_TIMEOUT_MS;
  const isReady = () =>
    fetch(`http://${host}/`).then(
      ({ ok }) => ok,
      () => false,
    );
  while (!(await isReady())) {
    if (over || Date.now() > deadline) {
      await stop();
      throw new Error(`The emulator did not start:\n${written.trimEnd()}`);
    }
    await delay(200);
  }
  return { host, stop };
}

await runSuite('emulator: ', async (recordFile) => {
  await recordPart(recordFile, 'setting up the emulator', install);
  const emulator = await startEmulator();
  try {
    await runTests({
      name: 'tests against the emulator',
      projects: ['emulator'],
      args: process.argv.slice(2),
      environment: { FIREBASE_AUTH_EMULATOR_HOST: emulator.host, FIREBASE_PROJECT_ID: PROJECT_ID },
      recordFile,
    });
  } finally {
    await emulator.stop();
  }
});
