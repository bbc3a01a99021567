/**
 * `npm test`: the checks, then every test of the first tier with the core browser stories last, then the failures and one
 * machine-readable closing line. With paths, runs only the tests there.
 *
 * With REQUIRE_EXTRAS=true (continuous integration) a skipped test is a failure: everything that tests can use is installed there.
 */
import { runChecks } from './check.ts';
import { runSuite } from './run-suite.ts';
import { runTests } from './run-tests.ts';
import { recordPart, writeRecord } from './test-record.ts';

const paths = process.argv.slice(2);

await runSuite('', async (recordFile) => {
  if (paths.length > 0)
    return runTests({ name: 'tests', projects: ['node', 'processes', 'web', 'engines', 'e2e'], args: paths, recordFile });
  await recordPart(recordFile, 'checks', () =>
    runChecks((test, wrong) => {
      const [reason = ''] = (wrong ?? '').trim().split('\n');
      writeRecord(recordFile, { kind: 'result', file: '', test, state: wrong === null ? 'passed' : 'failed', reason });
    }),
  );
  await runTests({ name: 'unit and integration tests', projects: ['node', 'processes', 'web'], recordFile });
  await runTests({ name: 'core browser stories', projects: ['e2e'], args: ['--tags-filter=core'], recordFile });
});
