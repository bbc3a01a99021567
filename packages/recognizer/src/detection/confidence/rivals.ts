/**
 * By passage, or by window of clips: the highest and the second-highest of all birds, so that each bird can be compared with the
 * best of the others.
 */
export interface Rivals {
  readonly first: Float64Array;
  readonly firstLabel: Int32Array;
  readonly second: Float64Array;
}

export function rivalsOf(count: number): Rivals {
  return {
    first: new Float64Array(count).fill(-Infinity),
    firstLabel: new Int32Array(count).fill(-1),
    second: new Float64Array(count).fill(-Infinity),
  };
}

export function enterRival(rivals: Rivals, at: number, label: number, value: number): void {
  if (value > (rivals.first[at] ?? 0)) {
    rivals.second[at] = rivals.first[at] ?? 0;
    rivals.first[at] = value;
    rivals.firstLabel[at] = label;
  } else if (value > (rivals.second[at] ?? 0)) {
    rivals.second[at] = value;
  }
}

export function rivalOf(rivals: Rivals, at: number, label: number): number {
  return (rivals.firstLabel[at] === label ? rivals.second[at] : rivals.first[at]) ?? 0;
}
