import { describe, expect, it } from 'vitest';
import { createOffsetColumn, createStepColumn } from './columns.ts';

const numbers = Array.from({ length: 200_000 }, (_, index) => index);

describe('A column of numbers in the evidence', () => {
  it('returns the numbers that were added, over all its blocks, and is empty afterwards', () => {
    const column = createOffsetColumn();
    for (const number of numbers) column.push(number);
    expect(column.length).toBe(numbers.length);
    expect(column.finish()).toEqual(Uint32Array.from(numbers));
    expect(column.length).toBe(0);
    column.push(7);
    expect(column.finish()).toEqual(Uint32Array.of(7));
  });

  it.each([0, 1, 255, 256, 257, 511, 512, 65_535, 131_072, 199_999, 200_000])(
    'copies the numbers from position %i on',
    (from) => {
      const column = createOffsetColumn();
      for (const number of numbers) column.push(number);
      expect(column.since(from)).toEqual(Uint32Array.from(numbers.slice(from)));
    },
  );

  it('copies no more numbers than the target has room for', () => {
    const column = createOffsetColumn();
    for (const number of numbers) column.push(number);
    const [some, most] = [new Uint32Array(300), new Uint32Array(4)];
    column.read(200, some);
    column.read(199_998, most);
    expect(some).toEqual(Uint32Array.from(numbers.slice(200, 500)));
    expect(most).toEqual(Uint32Array.of(numbers[199_998] ?? 0, numbers[199_999] ?? 0, 0, 0));
  });

  it.each([1, 255, 256, 257, 65_536, 199_999])(
    'stores numbers added %i at a time as it stores numbers added one by one',
    (size) => {
      const column = createOffsetColumn();
      column.push(7);
      for (let from = 0; from < numbers.length; from += size) column.pushAll(Uint32Array.from(numbers.slice(from, from + size)));
      expect(column.length).toBe(1 + numbers.length);
      expect(column.finish()).toEqual(Uint32Array.from([7, ...numbers]));
    },
  );

  it('rounds numbers to its step and limits, whether they are added one by one or many at once', () => {
    const logits = [-1e9, -32.0004, -8.0006, -0.0004, 0.0014, 31.9996, Number.POSITIVE_INFINITY];
    const [single, many] = [createStepColumn(0.001, 32), createStepColumn(0.001, 32)];
    for (const logit of logits) single.push(logit);
    many.pushAll(Float64Array.from(logits));
    const rounded = Int16Array.of(-32_000, -32_000, -8001, 0, 1, 32_000, 32_000);
    expect(single.finish()).toEqual(rounded);
    expect(many.finish()).toEqual(rounded);
  });

  it('can take over the numbers of another column, followed by further numbers', () => {
    const [first, second] = [createStepColumn(0.001, 32), createStepColumn(0.001, 32)];
    for (const logit of [-8, 0.0014, 31.9996]) first.push(logit);
    second.append(first.since(0));
    second.push(1);
    expect(second.finish()).toEqual(Int16Array.of(-8000, 1, 32_000, 1000));
  });

  it('leaves numbers unrounded if it has no step', () => {
    const column = createStepColumn(0, 32);
    column.push(Math.PI);
    column.push(Number.NEGATIVE_INFINITY);
    expect(column.finish()).toEqual(Float32Array.of(Math.PI, Number.NEGATIVE_INFINITY));
  });
});
