/** A span of weeks, 0 to 47, both inclusive; `first` is the greater one if the span crosses the new year. */
export interface Weeks {
  readonly first: number;
  readonly last: number;
}

export type SeasonInWords =
  | { readonly kind: 'absent' | 'allYear' }
  | { readonly kind: 'weeks'; readonly spans: readonly Weeks[] };

/** From this occurrence on, results call a bird *expected here*. */
const EXPECTED_FROM = 0.03;
/** A week belongs to the season from this share of the best one. */
const SHARE_OF_BEST = 0.5;
/** Spans with fewer weeks than this in between are merged. */
const SHORTEST_GAP = 3;

/** When a bird is most likely, from 48 weeks of occurrence. */
export function seasonInWords(weeks: readonly number[]): SeasonInWords {
  const best = Math.max(...weeks);
  if (best < EXPECTED_FROM) return { kind: 'absent' };
  const isIn = weeks.map((value) => value >= best * SHARE_OF_BEST && value >= EXPECTED_FROM);
  if (isIn.every(Boolean)) return { kind: 'allYear' };
  const count = weeks.length;
  // Starts outside a span, so that the new year cuts none in two.
  const start = isIn.indexOf(false);
  const spans: { first: number; last: number }[] = [];
  for (let step = 1; step <= count; step++) {
    const week = (start + step) % count;
    if (!isIn[week]) continue;
    const open = spans.at(-1);
    if (open !== undefined && (week - open.last + count) % count <= SHORTEST_GAP) open.last = week;
    else spans.push({ first: week, last: week });
  }
  return { kind: 'weeks', spans };
}
