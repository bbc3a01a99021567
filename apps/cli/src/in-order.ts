/**
 * Works on several items concurrently and yields the results in the order of the items. At most `atOnce` items are started and not yet
 * yielded, so memory does not grow with their number.
 *
 * When `work` rejects, yields the earlier results, waits for the later items that have started (the caller may abort them), then throws.
 *
 * @param signal when it aborts, no more items are started
 */
export async function* inOrder<Item, Result>(
  items: AsyncIterable<Item> | Iterable<Item>,
  atOnce: number,
  work: (item: Item) => Promise<Result>,
  signal?: AbortSignal,
): AsyncGenerator<Result> {
  const begun: Promise<Result>[] = [];
  try {
    for await (const item of items) {
      if (signal?.aborted) break;
      const result = work(item);
      // Awaited later; until then a rejection must not count as unhandled.
      result.catch(() => undefined);
      begun.push(result);
      while (begun.length >= atOnce) {
        const first = begun.shift();
        if (first) yield await first;
      }
    }
    for (let first = begun.shift(); first; first = begun.shift()) yield await first;
  } finally {
    await Promise.allSettled(begun);
  }
}
