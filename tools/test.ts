/**
 * Runs tests for `npm test`, `test:engines`, `test:emulator`, `test:long` and `npm run ci` (tools/run.mjs):
 *
 *   node tools/test.ts SUITE [PATH…] [--slowest N] [--config FILE]
 *
 * Prints the failures and one machine-readable closing line last, even if the run is stopped or its time is up, and ends whatever the
 * tests have left running. `--slowest` also prints the files that took longest; `--config` is another configuration of vitest.
 */
import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
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
const STORIES = 'e2e/accounts e2e/bird-reviews e2e/detection e2e/history e2e/pieces e2e/sharing e2e/timeline'.split(' ');

const options = { slowest: { type: 'string', default: '0' }, config: { type: 'string', default: 'vitest.config.ts' } } as const;
const { values, positionals } = parseArgs({ allowPositionals: true, options });
const [suite, ...paths] = positionals as [Suite, ...string[]];
const report = new TestReport();

type VitestRun = { paths?: readonly string[]; tagsFilter?: string[]; environment?: Readonly<Record<string, string>> };

/** Runs tests of vitest's projects and adds what they found to the report. */
async function runTests(project: string[], { paths: files = [], environment = {}, ...more }: VitestRun = {}): Promise<void> {
  Object.assign(process.env, environment);
  await startVitest([...files], { root, config: values.config, run: true, project, reporters: ['default', report], ...more });
  for (const name of Object.keys(environment)) delete process.env[name];
}

/** @throws Error if there is no PostgreSQL */
async function installEngines(): Promise<void> {
  if (!isPostgresInstalled()) throw new Error('PostgreSQL 15 is not installed (Debian: postgresql).');
  await installS3((step) => process.stdout.write(`· ${step}\n`));
}
const setUpEmulator = () => report.part('setting up the emulator', installEmulator);
const setUpEngines = () => report.part('setting up engines', installEngines);

/** Everything too slow for every change, by the name that selects it. */
const long: Readonly<Record<string, () => Promise<void>>> = {
  stories: () => runTests(['e2e'], { tagsFilter: ['!core'] }),
  async engines() {
    await installEngines();
    // Each on its own PostgreSQL and S3: the leftovers of a thousand tests would make the stories slow.
    for (const { projects, files } of [
      { projects: ['node', 'processes'], files: ['apps/server'] },
      { projects: ['e2e'], files: STORIES },
    ]) {
      await using engines = new AsyncDisposableStack();
      const postgres = engines.adopt(await startPostgres(), (started) => started.stop());
      const storage = engines.adopt(await startS3(), (started) => started.stop());
      const environment = { ...storage.environment, TEST_DATABASE_URL: postgres.url, TEST_STORAGE_URL: storage.url };
      await runTests(projects, { paths: files, environment });
    }
  },
  /** Property tests with other cases than usual. */
  async properties() {
    const seed = process.env.TEST_SEED ?? `${randomInt(2 ** 31)}`;
    process.stdout.write(`Seed ${seed}; TEST_SEED=${seed} tries the same cases again.\n`);
    const tests = globSync('{apps,packages,bench}/**/*.test.{ts,tsx}', { cwd: root, exclude: ['**/node_modules/**'] });
    const files = tests.filter((path) => readFileSync(join(root, path), 'utf8').includes("from 'fast-check'"));
    await runTests(['node', 'web'], { paths: files, environment: { TEST_SEED: seed } });
  },
  /** Web machines, workers, PostgreSQL and an S3 server, killed and disconnected under load. */
  async machines() {
    await installEngines();
    const command = [join(root, 'bench/src/main.ts'), 'trial', 'machines', 'away', 'faults', '--faults', '10'];
    const child = spawn(process.execPath, [...process.execArgv, ...command], { cwd: root, stdio: 'inherit' });
    const [status] = await once(child, 'exit');
    report.record('machines', status === 0 ? 'passed' : 'failed', `the trial ended with status ${status}`);
  },
};

/** The checks run beside the tests, which often only wait; the stories run alone, because browsers do not. */
async function runChange(engines: readonly string[]): Promise<void> {
  const checking = report.part('checks', async () => {
    await runChecks((name, wrong) => report.record(name, wrong === null ? 'passed' : 'failed', wrong?.trim().split('\n', 1)[0]));
  });
  await report.part('unit and integration tests', () => runTests(['node', 'processes', 'web', ...engines]));
  await checking;
  await report.part('core browser stories', () => runTests(['e2e'], { tagsFilter: ['core'] }));
}

const runAsked = (projects: string[]): Promise<void> => report.part('tests', () => runTests(projects, { paths }));

const suites: Readonly<Record<Suite, () => Promise<void>>> = {
  test: () => (paths.length === 0 ? runChange([]) : runAsked(['node', 'processes', 'web', 'engines', 'e2e'])),
  engines: () => setUpEngines().then(() => runAsked(['engines'])),
  emulator: () => setUpEmulator().then(() => runAsked(['emulator'])),
  ci: () => Promise.all([setUpEmulator(), setUpEngines()]).then(() => runChange(['engines', 'emulator'])),
  async long() {
    const unknown = paths.filter((name) => !Object.hasOwn(long, name));
    if (unknown.length > 0) return end(`there is no part ${unknown.join(', ')}; parts: ${Object.keys(long).join(', ')}`);
    for (const [name, work] of Object.entries(long))
      if (paths.length === 0 || paths.includes(name)) await report.part(name, work);
  },
};

const folder = mkdtempSync(join(tmpdir(), 'chiffchaff-test-'));
// Tests start some servers as another user, who also writes there.
chmodSync(folder, 0o1777);
process.env.TMPDIR = folder;

/** Prints what was found and ends this process at once: otherwise vitest would, on a signal, before there is a closing line. */
function end(failure?: string): never {
  if (failure !== undefined) report.record(suite, 'failed', failure);
  const left = endLeftovers(folder).map((line) => `left running, and killed: ${line}`);
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  const { lines, ok } = report.summary({ nothingSkipped: suite === 'ci' });
  const label = suite === 'test' || suite === 'ci' ? '' : `${suite}: `;
  const all = [...report.slowest(Number(values.slowest)), ...left, ...lines.slice(0, -1), `${label}${lines.at(-1)}`];
  process.stdout.write(`\n${all.join('\n')}\n`);
  process.exit(ok ? 0 : 1);
}
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => end(`it was stopped by ${signal}`));
setTimeout(() => end(`its time was up after ${LIMIT_MINUTES[suite]} minutes`), LIMIT_MINUTES[suite] * 60_000).unref();

await suites[suite]();
end();
