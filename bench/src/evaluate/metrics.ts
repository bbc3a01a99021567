/** Figures of merit. Shares are 0–1; an empty set gives `null`, never 0, because nothing was measured. */

/** The first-ranked answer for one recording, and whether it was the right one. */
export interface ScoredAnswer {
  /** what the answer was ranked by: confidence or raw score, 0–1 */
  readonly certainty: number;
  readonly right: boolean;
}

/**
 * The share of recordings whose right species is among the first `k`.
 * @param ranks rank of the right species from 1; null when it is not among the candidates
 */
export function topShare(ranks: readonly (number | null)[], k: number): number | null {
  return share(ranks, (rank) => rank !== null && rank <= k);
}

export function reliabilityAt(answers: readonly ScoredAnswer[], threshold: number) {
  const named = answers.filter(({ certainty }) => certainty >= threshold);
  return {
    threshold,
    /** share of recordings with an answer at the threshold */
    named: share(answers, ({ certainty }) => certainty >= threshold),
    /** share of those answers that are right */
    right: share(named, ({ right }) => right),
  };
}

/**
 * Expected calibration error: the mean distance between the certainty of the answers and the share that is right, over bins of equal
 * width, weighted by the number of answers in each (Guo et al. 2017, section 2).
 */
export function calibrationError(answers: readonly ScoredAnswer[], bins: number): number | null {
  if (answers.length === 0) return null;
  const inBin = Array.from({ length: bins }, () => ({ count: 0, certainty: 0, right: 0 }));
  for (const { certainty, right } of answers) {
    const bin = inBin[Math.min(bins - 1, Math.floor(certainty * bins))];
    if (bin === undefined) throw new RangeError(`certainty must be 0 to 1, found ${certainty}`);
    bin.count += 1;
    bin.certainty += certainty;
    bin.right += right ? 1 : 0;
  }
  return inBin.reduce((sum, { certainty, right }) => sum + Math.abs(certainty - right), 0) / answers.length;
}

/**
 * The largest share of recordings that can be answered with at least `precision` of the answers right, by answering those above some
 * certainty.
 */
export function coverageAt(answers: readonly ScoredAnswer[], precision: number): number | null {
  return answers.length === 0 ? null : surestWith(answers, precision).length / answers.length;
}

/**
 * The most answers of which at least `precision` are right, by leaving out those below some certainty. Answers of equal certainty are
 * included or left out together.
 */
export function surestWith<Answer extends ScoredAnswer & { readonly weight?: number }>(
  answers: readonly Answer[],
  precision: number,
): Answer[] {
  const surestFirst = answers.toSorted((a, b) => b.certainty - a.certainty);
  let [count, right, all] = [0, 0, 0];
  surestFirst.forEach((answer, i) => {
    const { weight = 1 } = answer;
    all += weight;
    right += answer.right ? weight : 0;
    const isLastOfEquals = surestFirst[i + 1]?.certainty !== answer.certainty;
    if (isLastOfEquals && right / all >= precision) count = i + 1;
  });
  return surestFirst.slice(0, count);
}

/** @returns the share of the items that pass; null when there are none */
export function share<Item>(items: readonly Item[], passes: (item: Item) => boolean): number | null {
  return items.length === 0 ? null : items.filter(passes).length / items.length;
}
