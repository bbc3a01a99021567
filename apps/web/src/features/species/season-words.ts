/** Weeks of a year, 0 to 47, the first and the last; the first is the later where they go over the turn of the year. */
export interface Weeks {
  readonly first: number;
  readonly last: number;
}

export type SeasonInWords =
  | { readonly kind: 'absent' | 'allYear' }
  | { readonly kind: 'weeks'; readonly spans: readonly Weeks[] };

/** Below this in every week, the answer would call it rare all year. */
const RARE = 0.03;
/** A week is part of the season from this share of the best one. */
const SHARE_OF_BEST = 0.5;
/** With less than so many weeks between, two spans are one. */
const SHORTEST_GAP = 3;

/** When a bird is likeliest, from 48 weeks of occurrence. */
export function seasonInWords(weeks: readonly number[]): SeasonInWords {
  const best = Math.max(...weeks);
  if (best < RARE) return { kind: 'absent' };
  const isIn = weeks.map((value) => value >= best * SHARE_OF_BEST && value >= RARE);
  if (isIn.every(Boolean)) return { kind: 'allYear' };
  const count = weeks.length;
  // Begins outside a span, so that none is cut in two at the turn of the year.
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
