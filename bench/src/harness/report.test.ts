import { expect, it } from 'vitest';
import { describeMachine, limitedRow, rowText } from './report.ts';

it('A row of a benchmark shows its figure, its limit if it has one, and whether the limit holds', () => {
  expect(rowText({ what: 'one clip', figure: '10.7 ms' })).toBe('  one clip              10.7 ms\n');
  expect(rowText(limitedRow('cancelled', 120, { unit: 'ms', most: 500 }))).toBe(
    '✓ cancelled             120 ms  (limit: ≤ 500 ms)\n',
  );
  expect(rowText(limitedRow('panning', 49, { unit: '/s', least: 50 }))).toBe(
    '✗ panning               49 /s  (limit: ≥ 50 /s)\n    ✗ 49 /s\n',
  );
});

it('A row of a benchmark whose figure is not a number counts as over its limit', () => {
  expect(limitedRow('memory', Number.NaN, { unit: 'MB', most: 300 }).faults).toHaveLength(1);
});

it('The description of the machine in a benchmark has the versions of Node and ONNX Runtime', () => {
  expect(describeMachine()).toMatch(/cores, .*Node v\d+.*, ONNX Runtime \d+\.\d+\.\d+; load \d/);
});
