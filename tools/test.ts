/**
 * `npm test`: the checks, then every test, then one closing line that a machine can read.
 *
 * With REQUIRE_EXTRAS=true (continuous integration) a skipped test is a failure: there, everything a test may ask for is installed.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runChecks } from './check.ts';
import { root } from './process.ts';
import { countsSchema, type TestCounts } from './test-reporter.ts';

async function runTests(project: readonly string[], args: readonly string[]): Promise<TestCounts> {
  const folder = mkdtempSync(join(tmpdir(), 'chiffchaff-test-'));
  const countsFile = join(folder, 'counts.json');
  const projects = project.flatMap((name) => ['--project', name]);
  try {
    const code = await new Promise<number>((resolve, reject) => {
      const child = spawn('vitest', ['run', ...projects, '--reporter=default', '--reporter=./tools/test-reporter.ts', ...args], {
        cwd: root,
        stdio: 'inherit',
        env: { ...process.env, TEST_COUNTS_FILE: countsFile },
      });
      child.on('error', reject);
      child.on('close', (status) => resolve(status ?? 1));
    });
    const counts = countsSchema.parse(JSON.parse(readFileSync(countsFile, 'utf8')));
    // vitest fails also for what belongs to no test (an unhandled rejection, a file that does not load).
    return code !== 0 && counts.failed === 0 ? { ...counts, failed: 1 } : counts;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

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
