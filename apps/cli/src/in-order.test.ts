import { expect, it } from 'vitest';
import { inOrder } from './in-order.ts';

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

it('Concurrent work in order (`inOrder`) yields results in the order of its items, whichever result is ready first', async () => {
  const ends = new Map<number, () => void>();
  const results = collect(
    inOrder([0, 1, 2], 3, async (item) => {
      await new Promise<void>((resolve) => ends.set(item, resolve));
      return item * 10;
    }),
  );
  await Promise.resolve();
  while (ends.size < 3) await new Promise(setImmediate);
  for (const item of [2, 0, 1]) ends.get(item)?.();
  expect(await results).toEqual([0, 10, 20]);
});

it('Concurrent work in order (`inOrder`) works on as many items at a time as allowed, and no more', async () => {
  let inWork = 0;
  let most = 0;
  await collect(
    inOrder(
      Array.from({ length: 20 }, (_, i) => i),
      4,
      async () => {
        inWork += 1;
        most = Math.max(most, inWork);
        await new Promise(setImmediate);
        inWork -= 1;
      },
    ),
  );
  expect(most).toBe(4);
});

it('Concurrent work in order (`inOrder`) yields the results before a failure, then throws the error', async () => {
  const seen: number[] = [];
  const run = async () => {
    for await (const item of inOrder([1, 2, 3], 3, async (each) => {
      if (each === 2) throw new Error('second');
      return each;
    }))
      seen.push(item);
  };
  await expect(run()).rejects.toThrow('second');
  expect(seen).toEqual([1]);
});
