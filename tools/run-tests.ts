import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './process.ts';
import { countsSchema, type TestCounts } from './test-reporter.ts';

/** Runs the named vitest projects, shows what they say, and resolves with how many tests passed, failed and were skipped. */
export async function runTests(
  projects: readonly string[],
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<TestCounts> {
  const folder = mkdtempSync(join(tmpdir(), 'chiffchaff-test-'));
  const countsFile = join(folder, 'counts.json');
  const chosen = projects.flatMap((name) => ['--project', name]);
  try {
    const code = await new Promise<number>((resolve, reject) => {
      const child = spawn('vitest', ['run', ...chosen, '--reporter=default', '--reporter=./tools/test-reporter.ts', ...args], {
        cwd: root,
        stdio: 'inherit',
        env: { ...process.env, ...environment, TEST_COUNTS_FILE: countsFile },
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
