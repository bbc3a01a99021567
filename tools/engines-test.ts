/**
 * `npm run test:engines`: tests rows, queue and storage on PostgreSQL and an S3 server that the tests start (`engineTests` in
 * `vitest.config.ts`). With paths, runs only these. `npm run test:long engines` tests the whole server and the stories on both.
 */
import { setUpEngines } from './engines.ts';
import { runSuite } from './run-suite.ts';
import { runTests } from './run-tests.ts';
import { recordPart } from './test-record.ts';

await runSuite('engines: ', async (recordFile) => {
  await recordPart(recordFile, 'setting up engines', setUpEngines);
  await runTests({ name: 'tests of engines', projects: ['engines'], args: process.argv.slice(2), recordFile });
});
