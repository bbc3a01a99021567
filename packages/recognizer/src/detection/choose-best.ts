/** What counts in choosing among detections. */
export interface Weighed {
  /** of the species */
  readonly key: unknown;
  readonly startSeconds: number;
  /** 0…1 */
  readonly score: number;
}

/** In each stretch of this length a species counts anew. */
const STRETCH_SECONDS = 60;

interface Entry<Item> {
  readonly item: Item;
  readonly position: number;
  readonly weight: number;
}

/**
 * Chooses the best of more detections than can be held: the best of each species in each minute first. The second-best of a species
 * in a minute counts half its score, the third a third, and so on; so a bird that sings all the time leaves room for those that called
 * once, and is still there throughout. Holds twice as many as are kept, and those of a minute.
 */
export function createChoice<Item>(most: number, weigh: (item: Item) => Weighed) {
  const best: Entry<Item>[] = [];
  /** Of the stretch under way; nothing is known of its order yet. */
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
    /** To be called by start. */
    add(item: Item): void {
      const weighed = weigh(item);
      const of = Math.floor(weighed.startSeconds / STRETCH_SECONDS);
      if (of !== stretch) endStretch();
      stretch = of;
      latest.push({ item, position: count, weighed });
      count += 1;
    },
    /** The chosen ones in the order in which they came. */
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

/** The same for detections that are all there, by start. */
export function chooseBest<Item>(items: Iterable<Item>, most: number, weigh: (item: Item) => Weighed): Item[] {
  const choice = createChoice(most, weigh);
  for (const item of items) choice.add(item);
  return choice.chosen();
}
