/**
 * `npm test`: the checks, then every test, then one closing line that a machine can read.
 *
 * With REQUIRE_EXTRAS=true (continuous integration) a skipped test is a failure: there, everything a test may ask for is installed.
 */
import { runChecks } from './check.ts';
import { runTests } from './run-tests.ts';
import type { TestCounts } from './test-reporter.ts';

const args = process.argv.slice(2);
const checks = args.length === 0 ? await runChecks() : { passed: 0, failed: 0 };
const runs = [await runTests(['node', 'web'], args), ...(args.length === 0 ? [await runTests(['e2e'], args)] : [])];
const sum = (pick: (counts: TestCounts) => number) => runs.map(pick).reduce((total, count) => total + count, 0);
const skipped = runs.flatMap((counts) => counts.skipped);
for (const line of skipped) process.stdout.write(`skipped: ${line}\n`);

const requireExtras = process.env.REQUIRE_EXTRAS === 'true';
if (requireExtras && skipped.length > 0)
  process.stdout.write('Nothing may be skipped here (REQUIRE_EXTRAS=true): the skipped tests count as failed.\n');
const failed = sum((counts) => counts.failed) + checks.failed + (requireExtras ? skipped.length : 0);
const passed = sum((counts) => counts.passed) + checks.passed;
process.stdout.write(
  `\n${passed} passed, ${failed} failed${skipped.length > 0 && !requireExtras ? `, ${skipped.length} skipped` : ''}\n`,
);
process.exitCode = failed === 0 ? 0 : 1;
