/** Reproducible random numbers: the same seed gives the same sequence (mulberry32). */
export interface Chance {
  /** from 0 up to, but not including, 1 */
  next(): number;
  /** a whole number below `end` */
  below(end: number): number;
  pick<Item>(items: readonly Item[]): Item | undefined;
  /** the items in random order */
  shuffle<Item>(items: readonly Item[]): Item[];
}

export function createChance(seed: number): Chance {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (end: number): number => Math.floor(next() * end);
  return {
    next,
    below,
    pick: (items) => items[below(items.length)],
    shuffle: (items) =>
      items
        .map((item) => ({ item, at: next() }))
        .sort((a, b) => a.at - b.at)
        .map(({ item }) => item),
  };
}
