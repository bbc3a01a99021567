/**
 * Runs tests for `npm test`, `test:engines`, `test:emulator`, `test:long` and `npm run ci` (tools/run.mjs):
 *
 *   node tools/test.ts SUITE [PATH…] [--slowest N]
 *
 * Prints the failures and one machine-readable closing line last, even if the run is stopped or its time is up, and ends whatever the
 * tests have left running. `--slowest` also prints the files that took longest.
 */
import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { chmodSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { installS3 } from '@chiffchaff/server/testing/install-s3';
import { isPostgresInstalled, startPostgres } from '@chiffchaff/server/testing/start-postgres';
import { startS3 } from '@chiffchaff/server/testing/start-s3';
import { startVitest } from 'vitest/node';
import { installEmulator } from '../e2e/emulator/start-emulator.ts';
import { runChecks } from './check.ts';
import { endLeftovers } from './leftovers.ts';
import { root } from './process.ts';
import { TestReport } from './test-report.ts';

/** Far above what a run takes; a run that hangs is stopped and says which files were running. */
const LIMIT_MINUTES = { test: 25, engines: 8, emulator: 6, ci: 40, long: 12 * 60 };
type Suite = keyof typeof LIMIT_MINUTES;

/** Stories that use recordings and accounts on the server; the others are about the page alone. */
const storiesOnEngines = ['accounts', 'bird-reviews', 'detection', 'history', 'pieces', 'sharing', 'timeline'];

const { values, positionals } = parseArgs({ allowPositionals: true, options: { slowest: { type: 'string' } } });
const [suite, ...paths] = positionals as [Suite, ...string[]];
const report = new TestReport();

interface VitestRun {
  readonly paths?: readonly string[];
  readonly tagsFilter?: string;
  readonly environment?: Readonly<Record<string, string>>;
}

/** Runs tests of vitest's projects and adds what they found to the report. */
async function runTests(
  projects: readonly string[],
  { paths = [], tagsFilter, environment = {} }: VitestRun = {},
): Promise<void> {
  const before = report.count;
  Object.assign(process.env, environment);
  try {
    const tags = tagsFilter === undefined ? {} : { tagsFilter: [tagsFilter] };
    await startVitest([...paths], {
      root,
      run: true,
      watch: false,
      project: [...projects],
      reporters: ['default', report],
      ...tags,
    });
  } finally {
    for (const name of Object.keys(environment)) delete process.env[name];
  }
  if (report.count === before) report.record('vitest', 'failed', `it ran no test of ${projects.join(', ')}`);
}

const check = (): Promise<number> =>
  runChecks((name, wrong) => report.record(name, wrong === null ? 'passed' : 'failed', wrong?.trim().split('\n', 1)[0]));

/** Installs the S3 server for tests, unless it is installed. @throws Error if there is no PostgreSQL */
async function installEngines(): Promise<void> {
  if (!isPostgresInstalled()) throw new Error('PostgreSQL 15 is not installed (Debian: postgresql).');
  await installS3((step) => process.stdout.write(`· ${step}\n`));
}

/** Runs tests on their own PostgreSQL and S3: the leftovers of a thousand tests would make the stories slow. */
async function runOnEngines(projects: readonly string[], files: readonly string[]): Promise<void> {
  await installEngines();
  await using engines = new AsyncDisposableStack();
  const postgres = engines.adopt(await startPostgres(), (started) => started.stop());
  const storage = engines.adopt(await startS3(), (started) => started.stop());
  const environment = { ...storage.environment, TEST_DATABASE_URL: postgres.url, TEST_STORAGE_URL: storage.url };
  await runTests(projects, { paths: files, environment });
}

/** Runs property tests with other cases than usual. */
async function runProperties(): Promise<void> {
  const seed = process.env.TEST_SEED ?? `${randomInt(2 ** 31)}`;
  process.stdout.write(`Seed ${seed}; TEST_SEED=${seed} tries the same cases again.\n`);
  const files = globSync('{apps,packages,bench}/**/*.test.{ts,tsx}', { cwd: root, exclude: ['**/node_modules/**'] }).filter(
    (path) => readFileSync(join(root, path), 'utf8').includes("from 'fast-check'"),
  );
  await runTests(['node', 'web'], { paths: files, environment: { TEST_SEED: seed } });
}

/** Runs web machines, workers, PostgreSQL and an S3 server, and kills and disconnects them under load. */
async function tryMachines(): Promise<void> {
  await installEngines();
  const command = [join(root, 'bench/src/main.ts'), 'trial', 'machines', 'journey', 'away', 'faults', '--faults', '10'];
  const child = spawn(process.execPath, [...process.execArgv, ...command], { cwd: root, stdio: 'inherit' });
  const status = await new Promise((resolve, reject) => child.once('error', reject).once('exit', resolve));
  report.record('machines', status === 0 ? 'passed' : 'failed', `the trial ended with status ${status}`);
}

/** Everything too slow for every change, by the name that selects it. */
const long: Readonly<Record<string, () => Promise<void>>> = {
  stories: () => runTests(['e2e'], { tagsFilter: '!core' }),
  engines: async () => {
    await runOnEngines(['node', 'processes'], ['apps/server']);
    await runOnEngines(
      ['e2e'],
      storiesOnEngines.map((story) => `e2e/${story}`),
    );
  },
  properties: runProperties,
  machines: tryMachines,
};

/** The checks run beside the tests, which often only wait; the stories run alone, because browsers do not. */
async function runChange(engines: readonly string[]): Promise<void> {
  const checking = report.part('checks', async () => void (await check()));
  await report.part('unit and integration tests', () => runTests(['node', 'processes', 'web', ...engines]));
  await checking;
  await report.part('core browser stories', () => runTests(['e2e'], { tagsFilter: 'core' }));
}

const suites: Readonly<Record<Suite, () => Promise<void>>> = {
  test: () =>
    paths.length === 0
      ? runChange([])
      : report.part('tests', () => runTests(['node', 'processes', 'web', 'engines', 'e2e'], { paths })),
  async engines() {
    await report.part('setting up engines', installEngines);
    await report.part('tests of engines', () => runTests(['engines'], { paths }));
  },
  async emulator() {
    await report.part('setting up the emulator', installEmulator);
    await report.part('tests against the emulator', () => runTests(['emulator'], { paths }));
  },
  async ci() {
    await Promise.all([
      report.part('setting up the emulator', installEmulator),
      report.part('setting up engines', installEngines),
    ]);
    await runChange(['engines', 'emulator']);
  },
  async long() {
    const unknown = paths.filter((name) => !(name in long));
    if (unknown.length > 0) throw new Error(`There is no part ${unknown.join(', ')}. Parts: ${Object.keys(long).join(', ')}.`);
    for (const [name, run] of Object.entries(long)) if (paths.length === 0 || paths.includes(name)) await report.part(name, run);
  },
};

const folder = mkdtempSync(join(tmpdir(), 'chiffchaff-test-'));
// Tests start some servers as another user, who also writes there.
chmodSync(folder, 0o1777);
process.env.TMPDIR = folder;

async function end(): Promise<never> {
  const leftovers = await endLeftovers(folder);
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  const { lines, ok } = report.summary({ nothingSkipped: suite === 'ci' });
  const slowest = values.slowest === undefined ? [] : report.slowest(Number(values.slowest));
  const left = leftovers.map((line) => `left running, and killed: ${line}`);
  const label = suite === 'test' || suite === 'ci' ? '' : `${suite}: `;
  process.stdout.write(`\n${[...slowest, ...left, ...lines.slice(0, -1), `${label}${lines.at(-1)}`].join('\n')}\n`);
  process.exit(ok ? 0 : 1);
}

function stop(why: string): void {
  report.record(suite, 'failed', why);
  void end();
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop(`it was stopped by ${signal}`));
const minutes = LIMIT_MINUTES[suite];
setTimeout(() => stop(`its time was up after ${minutes} minutes`), minutes * 60_000).unref();

await suites[suite]().catch((error: unknown) =>
  report.record(suite, 'failed', error instanceof Error ? error.message : String(error)),
);
await end();
