/**
 * `npm test`: the checks, then every test, the browser stories last, then what went wrong and one closing line that a machine can read.
 * With paths, only the tests of these.
 *
 * With REQUIRE_EXTRAS=true (continuous integration) a skipped test is a failure: there, everything a test may ask for is installed.
 */
import { runChecks } from './check.ts';
import { runTests } from './run-tests.ts';
import { printSummary, summarise, summaryOptions } from './summary.ts';
import { readRecords, recordPart, withRecordFile, writeRecord } from './test-record.ts';

const paths = process.argv.slice(2);

await withRecordFile(async (recordFile) => {
  if (paths.length > 0) await runTests({ name: 'tests', projects: ['node', 'web', 'e2e'], args: paths, recordFile });
  else {
    await recordPart(recordFile, 'checks', () =>
      runChecks((test, wrong) => {
        const [reason = ''] = (wrong ?? '').trim().split('\n');
        writeRecord(recordFile, { kind: 'result', file: '', test, state: wrong === null ? 'passed' : 'failed', reason });
      }),
    );
    await runTests({ name: 'unit and integration tests', projects: ['node', 'web'], recordFile });
    await runTests({ name: 'browser stories', projects: ['e2e'], recordFile });
  }
  printSummary(summarise(readRecords(recordFile), summaryOptions()));
});
