/**
 * `npm run test:engines`: what rows, queue and storage promise, on PostgreSQL and an S3 server that the tests start for themselves
 * (`engineTests` of `vitest.config.ts`). With paths, only these. The whole server on both is `npm run test:long server-on-engines`.
 */
import { setUpEngines } from './engines.ts';
import { runSuite } from './run-suite.ts';
import { runTests } from './run-tests.ts';
import { recordPart } from './test-record.ts';

await runSuite('engines: ', async (recordFile) => {
  await recordPart(recordFile, 'setting up engines', setUpEngines);
  await runTests({ name: 'tests of engines', projects: ['engines'], args: process.argv.slice(2), recordFile });
});
