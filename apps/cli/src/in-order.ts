/**
 * Works on several items at once and gives the results in the order of the items. No more than `atOnce` items are begun and
 * not yet given back, so memory does not grow with their number.
 *
 * When `work` rejects, the results before it are given and then the error is thrown; items behind it are left to end by
 * themselves (the caller aborts them).
 */
export async function* inOrder<Item, Result>(
  items: AsyncIterable<Item> | Iterable<Item>,
  atOnce: number,
  work: (item: Item) => Promise<Result>,
): AsyncGenerator<Result> {
  const begun: Promise<Result>[] = [];
  try {
    for await (const item of items) {
      const result = work(item);
      // It is awaited in its turn; until then its failure is not "unhandled".
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
