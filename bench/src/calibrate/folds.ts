import { createHash } from 'node:crypto';

/** Recordings that share any kin must be in the same fold. */
export interface Kinship {
  readonly file: string;
  /** species, source recording, recordist …; empty strings do not count */
  readonly kin: readonly string[];
}

/**
 * Assigns recordings to folds so that recordings with common kin share a fold: a fit evaluated on a fold has seen neither its species nor
 * its source recordings. The fold comes from a hash, so that adding a recording moves no others except those it connects.
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
  // The smaller name is the root, so that a group's name does not depend on the order of its recordings.
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
