/** @returns the middle value, or the mean of the two in the middle */
export function median(values: readonly number[]): number {
  const sorted = ascending(values);
  const middle = Math.floor(sorted.length / 2);
  const upper = at(sorted, middle);
  return sorted.length % 2 === 1 ? upper : (at(sorted, middle - 1) + upper) / 2;
}

/** The smallest value that at least `share` of the values do not exceed (nearest rank). */
export function percentile(values: readonly number[], share: number): number {
  const sorted = ascending(values);
  return at(sorted, Math.max(0, Math.ceil(share * sorted.length) - 1));
}

const ascending = (values: readonly number[]) => [...values].sort((a, b) => a - b);

function at(sorted: readonly number[], index: number): number {
  const value = sorted[index];
  if (value === undefined) throw new RangeError('there are no values');
  return value;
}
