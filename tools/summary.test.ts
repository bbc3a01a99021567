import { describe, expect, it } from 'vitest';
import { closingLine, summarise } from './summary.ts';
import type { TestRecord } from './test-record.ts';

type Result = Extract<TestRecord, { kind: 'result' }>;

const result = (test: string, state: Result['state'], reason = ''): TestRecord => ({
  kind: 'result',
  file: 'a.test.ts',
  test,
  state,
  reason,
});
const lenient = { nothingSkipped: false };

describe('the end of a log', () => {
  it('tells of failed tests first, then unstable ones, skipped ones and times', () => {
    const summary = summarise(
      [
        { kind: 'part', name: 'tests', seconds: 12 },
        result('sings', 'passed'),
        result('is quick', 'skipped', 'no ffmpeg'),
        result('arrives', 'unstable', 'Error: too late'),
        result('counts', 'failed', 'AssertionError: expected 1 to be 2 (a.test.ts:7)'),
      ],
      lenient,
    );
    expect([...summary.lines, closingLine(summary)]).toEqual([
      '✗ a.test.ts > counts',
      '    AssertionError: expected 1 to be 2 (a.test.ts:7)',
      'unstable: a.test.ts > arrives (first failure: Error: too late)',
      'skipped: a.test.ts > is quick (no ffmpeg)',
      'times: tests 12 s',
      '2 passed, 1 failed, 1 skipped',
    ]);
  });

  it('counts a skipped test as failed where nothing may be skipped', () => {
    const summary = summarise([result('sings', 'passed'), result('is quick', 'skipped')], { nothingSkipped: true });
    expect(closingLine(summary)).toBe('1 passed, 1 failed');
  });

  it('names files that began and did not finish, with the test that ran', () => {
    const summary = summarise(
      [
        { kind: 'started', file: 'a.test.ts', test: '' },
        { kind: 'started', file: 'b.test.ts', test: '' },
        { kind: 'started', file: 'b.test.ts', test: 'waits for ever' },
        { kind: 'finished', file: 'a.test.ts' },
      ],
      lenient,
    );
    expect(summary.lines).toEqual(['✗ did not finish: b.test.ts > waits for ever']);
    expect(summary.failed).toBe(1);
  });

  it('fails when more than five tests are unstable', () => {
    const unstable = (count: number) =>
      Array.from({ length: count }, (_, index) => result(`${index}`, 'unstable', 'Error: late'));
    expect(closingLine(summarise(unstable(5), lenient))).toBe('5 passed, 0 failed');
    expect(closingLine(summarise(unstable(6), lenient))).toBe('6 passed, 1 failed');
  });
});
