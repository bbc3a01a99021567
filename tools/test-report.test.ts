import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { Vitest } from 'vitest/node';
import { root } from './process.ts';
import { TestReport } from './test-report.ts';

const lenient = { nothingSkipped: false };

describe('The report of a test run', () => {
  it('names failed tests first, then unstable and skipped ones, then times and counts', async () => {
    const report = new TestReport();
    await report.part('tests', async () => {});
    report.record('a.test.ts > sings', 'passed');
    report.record('a.test.ts > is quick', 'skipped', 'no PostgreSQL');
    report.record('a.test.ts > arrives', 'unstable', 'Error: too late');
    report.record('a.test.ts > counts', 'failed', 'AssertionError: expected 1 to be 2 (a.test.ts:7)');
    expect(report.summary(lenient)).toEqual({
      ok: false,
      lines: [
        '✗ a.test.ts > counts',
        '    AssertionError: expected 1 to be 2 (a.test.ts:7)',
        'unstable: a.test.ts > arrives (first failure: Error: too late)',
        'skipped: a.test.ts > is quick (no PostgreSQL)',
        'times: tests 0 s',
        '2 passed, 1 failed, 1 skipped',
      ],
    });
  });

  it('counts a skipped test as failed where nothing may be skipped', () => {
    const report = new TestReport();
    report.record('sings', 'passed');
    report.record('is quick', 'skipped');
    expect(report.summary({ nothingSkipped: true }).lines.at(-1)).toBe('1 passed, 1 failed');
  });

  it('counts an error that ends a part of the run as a failed test', async () => {
    const report = new TestReport();
    await report.part('setting up engines', () => Promise.reject(new Error('PostgreSQL 15 is not installed')));
    expect(report.summary(lenient).lines).toContain('    PostgreSQL 15 is not installed');
    expect(report.summary(lenient).ok).toBe(false);
  });

  it('fails when no test has passed', () => {
    expect(new TestReport().summary(lenient).ok).toBe(false);
  });

  it('fails when more than five tests are unstable', () => {
    const report = new TestReport();
    for (let count = 1; count <= 5; count += 1) report.record(`${count}`, 'unstable', 'Error: late');
    expect(report.summary(lenient).lines.at(-1)).toBe('5 passed, 0 failed');
    report.record('6', 'unstable', 'Error: late');
    expect(report.summary(lenient).lines.at(-1)).toBe('6 passed, 1 failed');
  });

  it('names files that have started and not finished when the run is cut short', () => {
    const report = new TestReport();
    const inState = (name: string, state: string, fullName?: string) => ({
      ...{ moduleId: join(root, name), state: () => state },
      children: { allTests: () => (fullName === undefined ? [] : [{ fullName }]) },
    });
    const modules = [inState('a.test.ts', 'passed'), inState('b.test.ts', 'queued'), inState('c.test.ts', 'pending', 'sings')];
    report.onInit({ config: {}, state: { getTestModules: () => modules } } as unknown as Vitest);
    expect(report.summary(lenient)).toEqual({
      ok: false,
      lines: ['✗ b.test.ts', '    did not finish', '✗ c.test.ts', '    did not finish: sings', '0 passed, 2 failed'],
    });
  });

  it('contains what vitest says about failed, broken, unstable and skipped tests, with the place of each failure', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [join(root, 'tools/testing/report-samples.ts')]);
    expect(stdout.replaceAll(/:\d+\)/g, ':LINE)').split('\n')).toEqual([
      '✗ tools/testing/sample-broken-file.ts',
      '    Error: cannot be loaded (tools/testing/sample-broken-file.ts:LINE)',
      '✗ tools/testing/sample-tests.ts > a suite whose preparation fails',
      '    Error: no server (tools/testing/sample-tests.ts:LINE)',
      '✗ tools/testing/sample-tests.ts > fails',
      "    AssertionError: expected 'a wren' to be 'a robin' // Object.is equality (tools/testing/sample-tests.ts:LINE)",
      'unstable: tools/testing/sample-tests.ts > passes at the second try (first failure: AssertionError: expected 1 to be 2 // Object.is equality (tools/testing/sample-tests.ts:LINE))',
      'skipped: tools/testing/sample-tests.ts > a suite whose preparation fails > does not run',
      'skipped: tools/testing/sample-tests.ts > is skipped',
      'skipped: tools/testing/sample-tests.ts > is skipped with a reason (it rains)',
      '2 passed, 3 failed, 3 skipped',
    ]);
  });
});
