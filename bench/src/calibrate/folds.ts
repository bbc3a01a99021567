import { createHash } from 'node:crypto';

/** What must not be on both sides of a fold: recordings that have any of these in common. */
export interface Kinship {
  readonly file: string;
  /** species, source recording, recordist …; empty ones are no kinship */
  readonly kin: readonly string[];
}

/**
 * Deals recordings out to folds so that whatever two of them have in common they have in one fold: a fit that is judged on a
 * fold has met neither its species nor its source recordings. By hash, so that one recording more moves none of the others but
 * those it ties together.
 *
 * @returns a fold from 0 for each recording, in order
 */
export function dealFolds(recordings: readonly Kinship[], foldCount: number): number[] {
  const parent = new Map<string, string>();
  const rootOf = (name: string): string => {
    const up = parent.get(name);
    if (up === undefined) parent.set(name, name);
    if (up === undefined || up === name) return name;
    const root = rootOf(up);
    parent.set(name, root);
    return root;
  };
  // The smaller name is the root: a group is named alike whatever the order of its recordings.
  const join = (one: string, other: string): void => {
    const [first, second] = [rootOf(one), rootOf(other)].sort();
    if (first !== undefined && second !== undefined) parent.set(second, first);
  };
  const ownName = ({ file, kin }: Kinship) => kin.find((name) => name !== '') ?? file;
  for (const recording of recordings) {
    for (const name of recording.kin) if (name !== '') join(ownName(recording), name);
  }
  return recordings.map((recording) => {
    const digest = createHash('sha256')
      .update(rootOf(ownName(recording)))
      .digest();
    return digest.readUInt32BE(0) % foldCount;
  });
}
