import { writeFileSync } from 'node:fs';
import type { Reporter, TestCase, TestModule } from 'vitest/node';
import { z } from 'zod';

export const countsSchema = z.object({ passed: z.int(), failed: z.int(), skipped: z.array(z.string()) });
export type TestCounts = z.infer<typeof countsSchema>;

/** Counts tests and keeps the reason of each skipped one; writes both to the file that TEST_COUNTS_FILE names. */
export default class CountingReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const tests: TestCase[] = modules.flatMap((module) => [...module.children.allTests()]);
    const brokenModules = modules.filter((module) => module.errors().length > 0).length;
    const counts: TestCounts = { passed: 0, failed: brokenModules, skipped: [] };
    for (const test of tests) {
      const result = test.result();
      if (result.state === 'passed') counts.passed += 1;
      else if (result.state === 'failed') counts.failed += 1;
      else counts.skipped.push(`${test.fullName}${'note' in result && result.note ? ` (${result.note})` : ''}`);
    }
    const file = process.env.TEST_COUNTS_FILE;
    if (file) writeFileSync(file, JSON.stringify(counts));
  }
}
