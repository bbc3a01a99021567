/** Reproducible random numbers: the same seed gives the same sequence (mulberry32). */
export function createChance(seed: number) {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (end: number): number => Math.floor(next() * end);
  return {
    /** from 0 up to, but not including, 1 */
    next,
    /** a whole number below `end` */
    below,
    pick: <Item>(items: readonly Item[]): Item | undefined => items[below(items.length)],
    /** the items in random order */
    shuffle: <Item>(items: readonly Item[]): Item[] =>
      items
        .map((item) => ({ item, at: next() }))
        .sort((a, b) => a.at - b.at)
        .map(({ item }) => item),
  };
}

export type Chance = ReturnType<typeof createChance>;

/** Picks an item in proportion to its weight. @param at from 0 up to, but not including, 1 */
export function pickByWeight<Item>(items: readonly Item[], weightOf: (item: Item) => number, at: number): Item | undefined {
  let left = at * items.reduce((sum, item) => sum + weightOf(item), 0);
  return items.find((item) => {
    left -= weightOf(item);
    return left < 0;
  });
}
