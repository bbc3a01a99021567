/**
 * `npm run test:long [NAME…]`: runs what is too slow for every change, before a piece of work counts as done. Without names, runs all
 * parts.
 */
import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startPostgres } from '@chiffchaff/server/testing/start-postgres';
import { startS3 } from '@chiffchaff/server/testing/start-s3';
import { setUpEngines } from './engines.ts';
import { root } from './process.ts';
import { runSuite } from './run-suite.ts';
import { runTests } from './run-tests.ts';
import { recordPart, writeRecord } from './test-record.ts';

/** Stories that use recordings and accounts on the server; the others are about the page alone. */
const storiesOnEngines = ['accounts', 'bird-reviews', 'detection', 'history', 'pieces', 'sharing', 'timeline'];

/** Runs tests on their own PostgreSQL and S3: the leftovers of a thousand tests would make the stories slow. */
async function testOnEngines(
  name: string,
  projects: readonly string[],
  args: readonly string[],
  recordFile: string,
): Promise<void> {
  await setUpEngines();
  await using engines = new AsyncDisposableStack();
  const postgres = engines.adopt(await startPostgres(), (started) => started.stop());
  const storage = engines.adopt(await startS3(), (started) => started.stop());
  const environment = { ...storage.environment, TEST_DATABASE_URL: postgres.url, TEST_STORAGE_URL: storage.url };
  await runTests({ name, projects, args, environment, recordFile });
}

/** Runs property tests with other cases than usual. */
async function testProperties(recordFile: string): Promise<void> {
  const seed = process.env.TEST_SEED ?? `${randomInt(2 ** 31)}`;
  process.stdout.write(`Seed ${seed}; TEST_SEED=${seed} tries the same cases again.\n`);
  const files = globSync('{apps,packages,bench}/**/*.test.{ts,tsx}', { cwd: root, exclude: ['**/node_modules/**'] }).filter(
    (path) => readFileSync(join(root, path), 'utf8').includes("from 'fast-check'"),
  );
  await runTests({ name: 'properties', projects: ['node', 'web'], args: files, environment: { TEST_SEED: seed }, recordFile });
}

/** Runs web machines, workers, PostgreSQL and an S3 server, and kills and disconnects them under load. */
async function tryMachines(recordFile: string): Promise<void> {
  await setUpEngines();
  const command = [join(root, 'bench/src/main.ts'), 'trial', 'machines', 'journey', 'away', 'faults', '--faults', '10'];
  const status = await recordPart(
    recordFile,
    'machines',
    () =>
      new Promise<number | null>((resolve, reject) => {
        const child = spawn(process.execPath, [...process.execArgv, ...command], { cwd: root, stdio: 'inherit' });
        child.once('error', reject);
        child.once('exit', resolve);
      }),
  );
  const reason = status === 0 ? '' : `the trial ended with status ${status}`;
  writeRecord(recordFile, { kind: 'result', file: '', test: 'machines', state: status === 0 ? 'passed' : 'failed', reason });
}

const parts: Readonly<Record<string, (recordFile: string) => Promise<void>>> = {
  stories: (recordFile) => runTests({ name: 'stories', projects: ['e2e'], args: ['--tags-filter=!core'], recordFile }),
  engines: async (recordFile) => {
    await testOnEngines('server on engines', ['node', 'processes'], ['apps/server'], recordFile);
    const stories = storiesOnEngines.map((story) => `e2e/${story}`);
    await testOnEngines('stories on engines', ['e2e'], stories, recordFile);
  },
  properties: testProperties,
  machines: tryMachines,
};

const names = process.argv.slice(2);
const unknown = names.filter((name) => !(name in parts));
if (unknown.length > 0) {
  process.stdout.write(`There is no part ${unknown.join(', ')}. Parts: ${Object.keys(parts).join(', ')}.\n`);
  process.exit(2);
}
await runSuite('long: ', async (recordFile) => {
  for (const [name, run] of Object.entries(parts)) if (names.length === 0 || names.includes(name)) await run(recordFile);
});
