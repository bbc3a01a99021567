/** What the choice among detections depends on. */
export interface Weighed {
  /** identifies the species */
  readonly key: unknown;
  readonly startSeconds: number;
  /** 0…1 */
  readonly score: number;
}

/** The ranks of a species start again in each stretch of this length. */
const STRETCH_SECONDS = 60;

interface Entry<Item> {
  readonly item: Item;
  readonly position: number;
  readonly weight: number;
}

/**
 * Chooses the best of more detections than memory can hold: the best of each species in each minute first. A species' second-best
 * in a minute counts half its score, the third-best a third, and so on. A bird that sings all the time thus leaves room for those
 * that called once, but is still represented throughout. Holds twice as many items as are kept, and those of a minute.
 */
export function createChoice<Item>(most: number, weigh: (item: Item) => Weighed) {
  const best: Entry<Item>[] = [];
  /** Items of the current stretch, not ranked yet. */
  let latest: { readonly item: Item; readonly position: number; readonly weighed: Weighed }[] = [];
  let stretch = 0;
  let count = 0;

  const prune = (): void => {
    if (best.length <= most) return;
    best.sort((a, b) => b.weight - a.weight || a.position - b.position);
    best.length = most;
  };
  const endStretch = (): void => {
    const ranks = new Map<unknown, number>();
    latest.sort((a, b) => b.weighed.score - a.weighed.score || a.position - b.position);
    for (const { item, position, weighed } of latest) {
      const rank = (ranks.get(weighed.key) ?? 0) + 1;
      ranks.set(weighed.key, rank);
      best.push({ item, position, weight: weighed.score / rank });
      if (best.length > 2 * most) prune();
    }
    latest = [];
  };

  return {
    /** Must be called in order of start. */
    add(item: Item): void {
      const weighed = weigh(item);
      const of = Math.floor(weighed.startSeconds / STRETCH_SECONDS);
      if (of !== stretch) endStretch();
      stretch = of;
      latest.push({ item, position: count, weighed });
      count += 1;
    },
    /** The chosen items in the order in which they were added. */
    chosen(): Item[] {
      endStretch();
      prune();
      return best.sort((a, b) => a.position - b.position).map(({ item }) => item);
    },
    /** how many were not chosen */
    get leftOut(): number {
      return Math.max(0, count - most);
    },
  };
}

/** The same for a complete list, sorted by start. */
export function chooseBest<Item>(items: Iterable<Item>, most: number, weigh: (item: Item) => Weighed): Item[] {
  const choice = createChoice(most, weigh);
  for (const item of items) choice.add(item);
  return choice.chosen();
}
