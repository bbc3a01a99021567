import { describe, expect, it } from 'vitest';
import { createOffsetColumn, createStepColumn } from './columns.ts';

const numbers = Array.from({ length: 200_000 }, (_, index) => index);

describe('a column', () => {
  it('gives back what was pushed, over all its blocks, and is empty afterwards', () => {
    const column = createOffsetColumn();
    for (const number of numbers) column.push(number);
    expect(column.length).toBe(numbers.length);
    expect(column.finish()).toEqual(Uint32Array.from(numbers));
    expect(column.length).toBe(0);
    column.push(7);
    expect(column.finish()).toEqual(Uint32Array.of(7));
  });

  it.each([0, 1, 255, 256, 257, 511, 512, 65_535, 131_072, 199_999, 200_000])('copies what came since number %i', (from) => {
    const column = createOffsetColumn();
    for (const number of numbers) column.push(number);
    expect(column.since(from)).toEqual(Uint32Array.from(numbers.slice(from)));
  });

  it('goes on where another ended', () => {
    const [first, second] = [createStepColumn(0.001), createStepColumn(0.001)];
    for (const logit of [-8, 0.0014, 31.9996]) first.push(logit);
    second.append(first.since(0));
    second.push(1);
    expect(second.finish()).toEqual(Float32Array.of(-8, 0.001, 32, 1));
  });

  it('keeps numbers as they are when there is no step', () => {
    const column = createStepColumn(0);
    column.push(Math.PI);
    column.push(Number.NEGATIVE_INFINITY);
    expect(column.finish()).toEqual(Float32Array.of(Math.PI, Number.NEGATIVE_INFINITY));
  });
});
